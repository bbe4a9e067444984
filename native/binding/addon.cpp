// The addon's entry: one Environment per JavaScript environment, then the functions by name.
// What runs once goes through node-addon-api; the calls themselves are plain Node-API, which halves the
// cost of an empty one (15 ns against 23-32).
#include <napi.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include "call.hpp"
#include "calls.hpp"
#include "ontomem/recall_layout.hpp"

namespace ontomem::binding {
namespace {

template <std::size_t n>
Napi::Array namesIn(Napi::Env env, const std::array<std::string_view, n>& names) {
  const Napi::Array list = Napi::Array::New(env, n);
  for (std::uint32_t i = 0; i < n; ++i) list.Set(i, std::string(names[i]));
  return list;
}

/// onnxruntime from 1.29 on asks DNS for a telemetry host and writes a device id, a queue and a log into
/// the user's folders unless this is set when it is loaded. What a worker sets in process.env stays in the
/// worker, so it is set here, once, before any thread can load that library through ontomem.
void keepRuntimeQuiet() {
  static const bool done = [] {
#if defined(_WIN32)
    _putenv_s("ORT_DISABLE_TELEMETRY", "1");
#else
    setenv("ORT_DISABLE_TELEMETRY", "1", 1);
#endif
    return true;
  }();
  static_cast<void>(done);
}

/// The names behind every index that crosses the border, and the instruction set in use.
Napi::Object makeLayout(Napi::Env env) {
  Napi::Object layout = Napi::Object::New(env);
  layout.Set("parameters", namesIn(env, kParameterNames));
  layout.Set("features", namesIn(env, kFeatureNames));
  layout.Set("parts", namesIn(env, kPartNames));
  layout.Set("stats", namesIn(env, kStatNames));
  layout.Set("isa", kernels::active().name);
  if (const char* warning = kernels::isaWarning()) layout.Set("isaWarning", warning);
  return layout;
}

void addCalls(napi_env env, napi_value exports, std::span<const NamedCall> calls) {
  for (const NamedCall& named : calls) {
    napi_value function = nullptr;
    napi_create_function(env, named.name, NAPI_AUTO_LENGTH, named.call, nullptr, &function);
    napi_set_named_property(env, exports, named.name, function);
  }
}

Napi::Object initialise(Napi::Env env, Napi::Object exports) noexcept {
  try {
    keepRuntimeQuiet();
    // Node deletes it with the environment.
    env.SetInstanceData(std::make_unique<Environment>().release());
    exports.Set("layout", makeLayout(env));
  } catch (const std::bad_alloc&) {
    throwOutcome(env, {Status::outOfMemory, "memory: not enough"});
    return exports;
  }
  for (const auto& calls : {registryCalls(), shardCalls(), recallCalls(), modelCalls(), fileCalls(), sessionCalls()}) {
    addCalls(env, exports, calls);
  }
#if defined(ONTOMEM_FAULTS)
  addCalls(env, exports, faultCalls());
#endif
  return exports;
}

}  // namespace

NODE_API_MODULE(ontomem, initialise)

}  // namespace ontomem::binding
