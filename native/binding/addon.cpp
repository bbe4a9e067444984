// The addon's entry: one Environment per JavaScript environment, then the functions by name.
#include <node_api.h>

#include <array>
#include <new>
#include <string_view>

#include "call.hpp"
#include "calls.hpp"
#include "ontomem/recall_layout.hpp"

namespace ontomem::binding {
namespace {

template <std::size_t n>
void setNames(napi_env env, napi_value object, const char* name, const std::array<std::string_view, n>& names) {
  napi_value list = nullptr;
  napi_create_array_with_length(env, n, &list);
  for (std::size_t i = 0; i < n; ++i) {
    napi_value text = nullptr;
    napi_create_string_utf8(env, names[i].data(), names[i].size(), &text);
    napi_set_element(env, list, static_cast<std::uint32_t>(i), text);
  }
  napi_set_named_property(env, object, name, list);
}

/// The names behind every index that crosses the border, and the instruction set in use.
napi_value makeLayout(napi_env env) {
  napi_value layout = nullptr;
  napi_create_object(env, &layout);
  setNames(env, layout, "parameters", kParameterNames);
  setNames(env, layout, "features", kFeatureNames);
  setNames(env, layout, "parts", kPartNames);
  setNames(env, layout, "stats", kStatNames);
  napi_value isa = nullptr;
  napi_create_string_utf8(env, kernels::active().name, NAPI_AUTO_LENGTH, &isa);
  napi_set_named_property(env, layout, "isa", isa);
  return layout;
}

void addCalls(napi_env env, napi_value exports, std::span<const NamedCall> calls) {
  for (const NamedCall& named : calls) {
    napi_value function = nullptr;
    napi_create_function(env, named.name, NAPI_AUTO_LENGTH, named.call, nullptr, &function);
    napi_set_named_property(env, exports, named.name, function);
  }
}

napi_value initialise(napi_env env, napi_value exports) noexcept {
  try {
    auto* const environment = new Environment;
    const napi_status status = napi_set_instance_data(
        env, environment, [](napi_env, void* data, void*) { delete static_cast<Environment*>(data); }, nullptr);
    if (status != napi_ok) {
      delete environment;
      return throwOutcome(env, {Status::limitExceeded, "addon: no instance data"});
    }
  } catch (const std::bad_alloc&) {
    return throwOutcome(env, {Status::outOfMemory, "memory: not enough"});
  }
  napi_set_named_property(env, exports, "layout", makeLayout(env));
  addCalls(env, exports, registryCalls());
  addCalls(env, exports, shardCalls());
  addCalls(env, exports, recallCalls());
  addCalls(env, exports, modelCalls());
  addCalls(env, exports, fileCalls());
  return exports;
}

}  // namespace
}  // namespace ontomem::binding

NAPI_MODULE_INIT() { return ontomem::binding::initialise(env, exports); }
