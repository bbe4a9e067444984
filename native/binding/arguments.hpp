// Reading a call's arguments: numbers, names, and views of the caller's typed arrays.
#pragma once

#include <node_api.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include "ontomem/status.hpp"

namespace ontomem::binding {

inline constexpr std::size_t kMostArguments = 18;

template <class T>
constexpr napi_typedarray_type typedArrayOf() {
  if constexpr (std::is_same_v<T, float>) return napi_float32_array;
  if constexpr (std::is_same_v<T, double>) return napi_float64_array;
  if constexpr (std::is_same_v<T, std::uint32_t>) return napi_uint32_array;
  if constexpr (std::is_same_v<T, std::int32_t>) return napi_int32_array;
  if constexpr (std::is_same_v<T, std::uint16_t>) return napi_uint16_array;
  if constexpr (std::is_same_v<T, std::uint8_t>) return napi_uint8_array;
}

/// Arguments are read in order; the first one that is wrong is kept and the rest read as empty, so a
/// call reads all of them and asks `problem` once.
class Arguments {
 public:
  Arguments(napi_env env, napi_callback_info info) : env_(env) {
    napi_get_cb_info(env, info, &count_, values_.data(), nullptr, nullptr);
  }

  napi_env env() const { return env_; }
  const Outcome& problem() const { return problem_; }
  /// Refuses an argument that was read but does not fit.
  void refuse(const char* problem) { fail(problem); }

  /// A view of a typed array's elements, byte offset included; a Buffer is taken as raw bytes when it is
  /// aligned. undefined and null give an empty view. Valid during the call.
  template <class T>
  std::span<T> array(const char* problem) {
    const napi_value value = take();
    napi_typedarray_type type;
    std::size_t length = 0;
    void* data = nullptr;
    if (napi_get_typedarray_info(env_, value, &type, &length, &data, nullptr, nullptr) != napi_ok) {
      if (!isMissing(value)) fail(problem);
      return {};
    }
    if (type == napi_uint8_array && !std::is_same_v<T, std::uint8_t>) {
      const bool fits = length % sizeof(T) == 0 && reinterpret_cast<std::uintptr_t>(data) % alignof(T) == 0;
      if (!fits) fail(problem);
      return fits ? std::span<T>{static_cast<T*>(data), length / sizeof(T)} : std::span<T>{};
    }
    if (type != typedArrayOf<T>()) {
      fail(problem);
      return {};
    }
    return {static_cast<T*>(data), length};
  }

  double number(const char* problem) {
    double number = 0;
    if (napi_get_value_double(env_, take(), &number) != napi_ok) fail(problem);
    return number;
  }

  /// A whole number in [0, most].
  std::uint64_t whole(const char* problem, double most = 9007199254740991.0) {
    const double value = number(problem);
    if (!(value >= 0 && value <= most) || value != std::floor(value)) {
      fail(problem);
      return 0;
    }
    return static_cast<std::uint64_t>(value);
  }

  /// A string as UTF-8. Throws std::bad_alloc.
  std::string text(const char* problem) {
    const napi_value value = take();
    std::size_t length = 0;
    if (napi_get_value_string_utf8(env_, value, nullptr, 0, &length) != napi_ok) {
      fail(problem);
      return {};
    }
    std::string text(length, '\0');
    napi_get_value_string_utf8(env_, value, text.data(), length + 1, &length);
    return text;
  }

 private:
  napi_value take() { return values_[next_++]; }

  bool isMissing(napi_value value) const {
    napi_valuetype type = napi_undefined;
    napi_typeof(env_, value, &type);
    return type == napi_undefined || type == napi_null;
  }

  void fail(const char* problem) {
    if (problem_.ok()) problem_ = badArgument(problem);
  }

  napi_env env_;
  /// napi fills places that were not passed with undefined.
  std::array<napi_value, kMostArguments> values_{};
  std::size_t count_ = kMostArguments;
  std::size_t next_ = 0;
  Outcome problem_;
};

}  // namespace ontomem::binding
