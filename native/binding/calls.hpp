// The addon's functions, by file.
#pragma once

#include <node_api.h>

#include <span>

namespace ontomem::binding {

struct NamedCall {
  const char* name;
  napi_callback call;
};

std::span<const NamedCall> registryCalls();
std::span<const NamedCall> shardCalls();
std::span<const NamedCall> recallCalls();
std::span<const NamedCall> modelCalls();
std::span<const NamedCall> fileCalls();
std::span<const NamedCall> sessionCalls();
/// Of the addon that tests allocations; see native/test/allocation_faults.cpp.
std::span<const NamedCall> faultCalls();

}  // namespace ontomem::binding
