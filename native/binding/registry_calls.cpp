// Opening, closing, loading and evicting shards.
#include "call.hpp"
#include "calls.hpp"

namespace ontomem::binding {
namespace {

/// Both lengths are written out, so that no two pairs of keys give the same bytes.
std::string joinKeys(const std::string& storeKey, std::span<const std::uint8_t> scopeKey) {
  std::string key = std::to_string(storeKey.size()) + ':' + storeKey;
  return key.append(reinterpret_cast<const char*>(scopeKey.data()), scopeKey.size());
}

bool parseFormat(const std::string& name, VectorFormat& format) {
  if (name == "f32") format = VectorFormat::f32;
  else if (name == "bf16") format = VectorFormat::bf16;
  else if (name == "int8") format = VectorFormat::int8;
  else return false;
  return true;
}

Outcome openShard(Environment& environment, Arguments& arguments, double& result) {
  const std::string storeKey = arguments.text("storeKey: not a string");
  const auto scopeKey = arguments.array<std::uint8_t>("scopeKey: not a Uint8Array");
  const auto dimension = arguments.whole("dimension: not a whole number");
  const std::string formatName = arguments.text("format: not a string");
  if (!arguments.problem().ok()) return arguments.problem();
  VectorFormat format;
  if (!parseFormat(formatName, format)) return badArgument("format: not f32, bf16 or int8");
  ShardHandle handle = 0;
  const Outcome outcome = ShardRegistry::process().open(joinKeys(storeKey, scopeKey), dimension, format, handle);
  if (!outcome.ok()) return outcome;
  ++environment.openings[handle];
  result = static_cast<double>(handle);
  return {};
}

void forgetHandle(Environment& environment, ShardHandle handle) {
  environment.openings.erase(handle);
  environment.loading.erase(handle);
}

Outcome closeShard(Environment& environment, Arguments& arguments, double&) {
  const ShardHandle handle = arguments.whole("handle: not a number");
  if (!arguments.problem().ok()) return arguments.problem();
  const auto opening = environment.openings.find(handle);
  if (opening == environment.openings.end()) return kStaleHandle;
  const Outcome outcome = ShardRegistry::process().close(handle);
  if (!outcome.ok() || --opening->second == 0) forgetHandle(environment, handle);
  EpochDomain::process().reclaim();
  return outcome;
}

Outcome evictShard(Environment& environment, Arguments& arguments, double&) {
  const ShardHandle handle = arguments.whole("handle: not a number");
  if (!arguments.problem().ok()) return arguments.problem();
  const Outcome outcome = ShardRegistry::process().evict(handle);
  forgetHandle(environment, handle);
  EpochDomain::process().reclaim();
  return outcome;
}

/// 1 for the one caller that is to fill the shard, else 0.
Outcome claimLoad(Environment& environment, Arguments& arguments, double& result) {
  const ShardHandle handle = arguments.whole("handle: not a number");
  if (!arguments.problem().ok()) return arguments.problem();
  return withShard(environment, handle, [&](ResidentShard& resident) -> Outcome {
    const bool added = environment.loading.insert(handle).second;
    LoadState state = LoadState::empty;
    result = resident.state.compare_exchange_strong(state, LoadState::loading);
    if (result == 0 && added) environment.loading.erase(handle);
    return {};
  });
}

Outcome finishLoad(Environment& environment, Arguments& arguments, double&) {
  const ShardHandle handle = arguments.whole("handle: not a number");
  if (!arguments.problem().ok()) return arguments.problem();
  if (environment.loading.erase(handle) == 0) return badArgument("handle: not being loaded by this thread");
  return withShard(environment, handle, [](ResidentShard& resident) -> Outcome {
    resident.state.store(LoadState::ready);
    return {};
  });
}

Outcome shardInfo(Environment& environment, Arguments& arguments, double&) {
  const ShardHandle handle = arguments.whole("handle: not a number");
  const auto out = arguments.array<double>("out: not a Float64Array");
  if (!arguments.problem().ok()) return arguments.problem();
  return withShard(environment, handle, [&](ResidentShard& resident) -> Outcome {
    const Snapshot& snapshot = resident.shard.snapshot();
    const double values[] = {double(snapshot.rows),
                             double(snapshot.liveRows),
                             double(resident.shard.bytes()),
                             double(snapshot.edges.size()),
                             double(snapshot.sessions.numbers.size()),
                             double(snapshot.speakers.numbers.size()),
                             double(snapshot.layout),
                             double(static_cast<int>(resident.state.load()))};
    if (out.size() < std::size(values)) return badArgument("out: too short");
    std::copy(std::begin(values), std::end(values), out.begin());
    return {};
  });
}

Outcome residentBytes(Environment&, Arguments&, double& result) {
  result = static_cast<double>(MemoryAccount::processBytes());
  return {};
}

Outcome evictionCandidates(Environment&, Arguments& arguments, double& result) {
  const auto limitBytes = arguments.whole("limitBytes: not a whole number");
  const auto handles = arguments.array<double>("handles: not a Float64Array");
  if (!arguments.problem().ok()) return arguments.problem();
  result = static_cast<double>(ShardRegistry::process().evictionCandidates(limitBytes, handles));
  return {};
}

constexpr NamedCall kCalls[] = {
    {"openShard", numberCall<openShard>},         {"closeShard", numberCall<closeShard>},
    {"evictShard", numberCall<evictShard>},       {"claimLoad", numberCall<claimLoad>},
    {"finishLoad", numberCall<finishLoad>},       {"shardInfo", numberCall<shardInfo>},
    {"residentBytes", numberCall<residentBytes>}, {"evictionCandidates", numberCall<evictionCandidates>},
};

}  // namespace

std::span<const NamedCall> registryCalls() { return kCalls; }

}  // namespace ontomem::binding
