// The frame of every call: read arguments, act, turn a failure into an error with a `code`.
#pragma once

#include <node_api.h>

#include <new>

#include "arguments.hpp"
#include "environment.hpp"

namespace ontomem::binding {

inline napi_value throwOutcome(napi_env env, const Outcome& outcome) {
  napi_throw_error(env, statusCode(outcome.status), outcome.problem);
  return nullptr;
}

inline napi_value numberValue(napi_env env, double number) {
  napi_value value = nullptr;
  napi_create_double(env, number, &value);
  return value;
}

/// Wraps `Outcome call(Environment&, Arguments&, double& result)`: the number is returned on success.
/// No C++ exception leaves it.
template <auto call>
napi_value numberCall(napi_env env, napi_callback_info info) noexcept {
  try {
    Arguments arguments(env, info);
    double result = 0;
    const Outcome outcome = call(Environment::of(env), arguments, result);
    if (!outcome.ok()) return throwOutcome(env, outcome);
    return numberValue(env, result);
  } catch (const std::bad_alloc&) {
    return throwOutcome(env, {Status::outOfMemory, "memory: not enough"});
  } catch (...) {
    return throwOutcome(env, {Status::limitExceeded, "call: failed inside"});
  }
}

inline constexpr Outcome kStaleHandle{Status::staleHandle, "handle: the shard was closed or evicted"};

/// Runs `act(ResidentShard&)` on a pinned shard.
template <class Act>
Outcome withShard(Environment& environment, ShardHandle handle, Act act) {
  const Pin pin(environment.slot);
  ResidentShard* const resident = ShardRegistry::process().find(handle);
  return resident ? act(*resident) : kStaleHandle;
}

/// As withShard, for a writer: frees what it replaced once it has unpinned.
template <class Act>
Outcome withWriter(Environment& environment, ShardHandle handle, Act act) {
  const Outcome outcome = withShard(environment, handle, [&](ResidentShard& resident) { return act(resident.shard); });
  EpochDomain::process().reclaim();
  return outcome;
}

}  // namespace ontomem::binding
