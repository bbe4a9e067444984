// Opening, closing and evicting shards, and where one stands.
#include "call.hpp"
#include "calls.hpp"

namespace ontomem::binding {
namespace {

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
  const std::string scope(reinterpret_cast<const char*>(scopeKey.data()), scopeKey.size());
  const Outcome outcome = ShardRegistry::process().open(storeKey, scope, dimension, format, handle);
  if (!outcome.ok()) return outcome;
  ++environment.openings[handle];
  result = static_cast<double>(handle);
  return {};
}

/// One opening less of this environment; false when it had none.
bool giveBack(Environment& environment, ShardHandle handle) {
  const auto opening = environment.openings.find(handle);
  if (opening == environment.openings.end()) return false;
  if (--opening->second == 0) environment.openings.erase(opening);
  return true;
}

Outcome closeShard(Environment& environment, Arguments& arguments, double&) {
  const ShardHandle handle = arguments.whole("handle: not a number");
  if (!arguments.problem().ok()) return arguments.problem();
  if (!giveBack(environment, handle)) return kStaleHandle;
  // One that was evicted is closed already.
  (void)ShardRegistry::process().close(handle);
  EpochDomain::process().reclaim();
  return {};
}

Outcome evictShard(Environment& environment, Arguments& arguments, double&) {
  const ShardHandle handle = arguments.whole("handle: not a number");
  if (!arguments.problem().ok()) return arguments.problem();
  const Outcome outcome = ShardRegistry::process().evict(handle);
  (void)giveBack(environment, handle);
  EpochDomain::process().reclaim();
  return outcome;
}

/// Where the shard stands: next stored number, changes, live rows; 0 when the handle is stale.
Outcome shardPosition(Environment& environment, Arguments& arguments, double& result) {
  const ShardHandle handle = arguments.whole("handle: not a number");
  const auto out = arguments.array<std::uint32_t>("out: not a Uint32Array");
  if (!arguments.problem().ok()) return arguments.problem();
  if (out.size() < 3) return badArgument("out: too short");
  const Outcome outcome = withShard(environment, handle, [&](ResidentShard& resident) -> Outcome {
    const Snapshot& snapshot = resident.shard.snapshot();
    out[0] = snapshot.position.nextStored;
    out[1] = snapshot.position.changes;
    out[2] = snapshot.liveRows;
    return {};
  });
  result = outcome.ok();
  return {};
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
                             double(snapshot.layout)};
    if (out.size() < std::size(values)) return badArgument("out: too short");
    std::copy(std::begin(values), std::end(values), out.begin());
    return {};
  });
}

Outcome residentBytes(Environment&, Arguments&, double& result) {
  result = static_cast<double>(MemoryAccount::processBytes());
  return {};
}

Outcome makeRoom(Environment&, Arguments& arguments, double& result) {
  const ShardHandle kept = arguments.whole("kept: not a number");
  const auto limitBytes = arguments.whole("limitBytes: not a whole number");
  if (!arguments.problem().ok()) return arguments.problem();
  result = static_cast<double>(ShardRegistry::process().makeRoom(kept, limitBytes));
  EpochDomain::process().reclaim();
  return {};
}

constexpr NamedCall kCalls[] = {
    {"openShard", numberCall<openShard>},         {"closeShard", numberCall<closeShard>},
    {"evictShard", numberCall<evictShard>},       {"shardPosition", numberCall<shardPosition>},
    {"shardInfo", numberCall<shardInfo>},         {"makeRoom", numberCall<makeRoom>},
    {"residentBytes", numberCall<residentBytes>},
};

}  // namespace

std::span<const NamedCall> registryCalls() { return kCalls; }

}  // namespace ontomem::binding
