// The few functions of onnxruntime's C API that are called here. The table of version 1 is frozen by its makers
// (https://onnxruntime.ai/docs/api/c, struct OrtApi): a function keeps its place for ever, so places are all that is
// needed to call it, and no header of theirs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace ontomem::onnx {

/// Places in the table.
enum class Call : std::size_t {
  getErrorMessage = 2,
  createEnv = 3,
  createSession = 7,
  run = 9,
  createSessionOptions = 10,
  setLogSeverity = 22,
  setOptimizationLevel = 23,
  setThreads = 24,
  inputCount = 30,
  outputCount = 31,
  inputTypeInfo = 33,
  outputTypeInfo = 34,
  inputName = 36,
  outputName = 37,
  createRunOptions = 39,
  terminateRun = 46,
  createTensorWithData = 49,
  tensorData = 51,
  tensorInfoOfType = 55,
  elementType = 60,
  dimensionCount = 61,
  dimensions = 62,
  tensorInfoOfValue = 65,
  createCpuMemoryInfo = 69,
  allocatorFree = 76,
  defaultAllocator = 78,
  releaseStatus = 93,
  releaseMemoryInfo = 94,
  releaseSession = 95,
  releaseValue = 96,
  releaseRunOptions = 97,
  releaseTypeInfo = 98,
  releaseTensorInfo = 99,
  releaseSessionOptions = 100,
};

/// Objects of the runtime; only their addresses are handled.
using Object = void*;
#if defined(_WIN32)
using PathCharacter = wchar_t;
#else
using PathCharacter = char;
#endif

/// The loaded library; one a process, never unloaded: its threads may still run while the process ends.
class Api {
 public:
  /// Loads it from `library` at the first call. Null with `problem` when it cannot be.
  static const Api* load(const std::string& library, std::string& problem);

  /// Calls a function that answers with a status; returns its message, empty when it went well.
  template <class... Arguments>
  std::string operator()(Call call, Arguments... arguments) const {
    return messageOf(function<Object(Arguments...)>(call)(arguments...));
  }

  /// Gives an object back; null is left alone.
  void release(Call call, Object object) const {
    if (object != nullptr) function<void(Object)>(call)(object);
  }

  Object environment() const { return environment_; }

 private:
  template <class Signature>
  Signature* function(Call call) const {
    return reinterpret_cast<Signature*>(table_[static_cast<std::size_t>(call)]);
  }

  std::string messageOf(Object status) const {
    if (status == nullptr) return {};
    std::string message = function<const char*(Object)>(Call::getErrorMessage)(status);
    release(Call::releaseStatus, status);
    return message.empty() ? "failed" : message;
  }

  const void* const* table_ = nullptr;
  Object environment_ = nullptr;
};

/// An object with the call that gives it back.
class Owned {
 public:
  Owned(const Api& api, Call release) : api_(api), release_(release) {}
  ~Owned() { api_.release(release_, object_); }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;

  Object get() const { return object_; }
  Object* out() { return &object_; }

 private:
  const Api& api_;
  Call release_;
  Object object_ = nullptr;
};

/// UTF-8 as the runtime takes paths.
std::basic_string<PathCharacter> pathOf(const std::string& utf8);

}  // namespace ontomem::onnx
