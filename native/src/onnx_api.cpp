#include "onnx_api.hpp"

#include <mutex>

#if defined(_WIN32)
#include <windows.h>
#else
#include <dlfcn.h>
#endif

namespace ontomem::onnx {
namespace {

/// Only what is fatal: every error is returned, and a library must not write to its host's stderr.
constexpr int kFatalOnly = 4;
/// The table's first version has every function named in Call.
constexpr std::uint32_t kApiVersion = 1;

/// What the library's one exported function returns: a function that gives the table of a version.
struct ApiBase {
  const void* const* (*table)(std::uint32_t version);
  const char* (*version)();
};

#if defined(_WIN32)
void* symbolOf(const std::string& library, const char* name, std::string& problem) {
  const HMODULE handle = LoadLibraryExW(pathOf(library).c_str(), nullptr, LOAD_WITH_ALTERED_SEARCH_PATH);
  void* const symbol = handle ? reinterpret_cast<void*>(GetProcAddress(handle, name)) : nullptr;
  if (symbol == nullptr) problem = library + ": cannot be loaded (error " + std::to_string(GetLastError()) + ")";
  return symbol;
}
#else
void* symbolOf(const std::string& library, const char* name, std::string& problem) {
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const symbol = handle ? dlsym(handle, name) : nullptr;
  if (symbol == nullptr) problem = dlerror();
  return symbol;
}
#endif

}  // namespace

const Api* Api::load(const std::string& library, std::string& problem) {
  static std::mutex mutex;
  static const Api* loaded = nullptr;
  const std::lock_guard lock(mutex);
  if (loaded != nullptr) return loaded;
  void* const symbol = symbolOf(library, "OrtGetApiBase", problem);
  if (symbol == nullptr) return nullptr;
  Api api;
  api.table_ = reinterpret_cast<const ApiBase* (*)()>(symbol)()->table(kApiVersion);
  if (api.table_ == nullptr) {
    problem = library + ": does not know version 1 of its interface";
    return nullptr;
  }
  problem = api(Call::createEnv, kFatalOnly, "ontomem", &api.environment_);
  if (!problem.empty()) return nullptr;
  loaded = new Api(api);
  return loaded;
}

std::basic_string<PathCharacter> pathOf(const std::string& utf8) {
#if defined(_WIN32)
  const int size = static_cast<int>(utf8.size());
  std::wstring wide(static_cast<std::size_t>(MultiByteToWideChar(CP_UTF8, 0, utf8.data(), size, nullptr, 0)), L'\0');
  MultiByteToWideChar(CP_UTF8, 0, utf8.data(), size, wide.data(), static_cast<int>(wide.size()));
  return wide;
#else
  return utf8;
#endif
}

}  // namespace ontomem::onnx
