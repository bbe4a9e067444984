// Reading a shard: recall, its paths, and the arms on their own.
#include <cstring>

#include "call.hpp"
#include "calls.hpp"
#include "ontomem/search.hpp"

namespace ontomem::binding {
namespace {

using U32 = std::uint32_t;

/// Rows of a shard change when it is compacted, by whichever thread: callers are told the store's numbers.
void nameByStore(const Snapshot& snapshot, std::span<Row> rows) {
  const U32* const stored = snapshot.columns.stored();
  for (Row& row : rows) row = stored[row];
}

Outcome recallCall(Environment& environment, Arguments& arguments, double& result) {
  const ShardHandle handle = arguments.whole("handle: not a number");
  const auto parameters = arguments.array<double>("parameters: not a Float64Array");
  RecallRequest request;
  request.queries = arguments.array<float>("queries: not a Float32Array");
  request.viewWeights = arguments.array<float>("viewWeights: not a Float32Array");
  request.terms = arguments.array<U32>("terms: not a Uint32Array");
  request.idf = arguments.array<float>("idf: not a Float32Array");
  request.seeds = arguments.array<U32>("seeds: not a Uint32Array");
  request.seedWeights = arguments.array<float>("seedWeights: not a Float32Array");
  request.typeWeights = arguments.array<float>("typeWeights: not a Float32Array");
  request.rowMask = arguments.array<U32>("rowMask: not a Uint32Array");
  request.queryFeatures = arguments.array<float>("queryFeatures: not a Float32Array");
  RecallOutput output;
  output.rows = arguments.array<U32>("outRows: not a Uint32Array");
  output.scores = arguments.array<float>("outScores: not a Float32Array");
  output.parts = arguments.array<float>("outParts: not a Float32Array");
  output.features = arguments.array<float>("outFeatures: not a Float32Array");
  output.paths = arguments.array<U32>("outPaths: not a Uint32Array");
  const auto stats = arguments.array<double>("outStats: not a Float64Array");
  if (!arguments.problem().ok()) return arguments.problem();
  if (parameters.size() != kParameterNames.size()) return badArgument("parameters: wrong length");
  if (!stats.empty() && stats.size() < kStatNames.size()) return badArgument("outStats: too short");
  std::memcpy(&request.parameters, parameters.data(), sizeof request.parameters);

  const Outcome outcome = withShard(environment, handle, [&](ResidentShard& resident) {
    request.residency = resident.residency.load(std::memory_order_relaxed);
    const Snapshot& snapshot = resident.shard.snapshot();
    const Outcome recalled = recall(snapshot, request, environment.scratch, output);
    if (recalled.ok()) nameByStore(snapshot, output.rows.first(output.count));
    return recalled;
  });
  if (!outcome.ok()) return outcome;
  if (!stats.empty()) std::memcpy(stats.data(), &output.stats, sizeof output.stats);
  result = output.count;
  return {};
}

Outcome readPathCall(Environment& environment, Arguments& arguments, double& result) {
  const auto path = static_cast<U32>(arguments.whole("path: not a path handle", kNoPath));
  const auto nodes = arguments.array<U32>("nodes: not a Uint32Array");
  const auto edges = arguments.array<U32>("edges: not a Uint32Array");
  const auto kinds = arguments.array<U32>("kinds: not a Uint32Array");
  if (!arguments.problem().ok()) return arguments.problem();
  result = static_cast<double>(readPath(environment.scratch, path, nodes, edges, kinds));
  return {};
}

Outcome searchCall(Environment& environment, Arguments& arguments, double&) {
  const ShardHandle handle = arguments.whole("handle: not a number");
  const auto queries = arguments.array<float>("queries: not a Float32Array");
  const auto k = arguments.whole("k: not a whole number");
  const auto rows = arguments.array<U32>("outRows: not a Uint32Array");
  const auto scores = arguments.array<float>("outScores: not a Float32Array");
  const auto counts = arguments.array<U32>("outCounts: not a Uint32Array");
  if (!arguments.problem().ok()) return arguments.problem();
  return withShard(environment, handle, [&](ResidentShard& resident) {
    const Snapshot& snapshot = resident.shard.snapshot();
    const Outcome outcome = searchFlat(snapshot, queries, k, environment.scratch, rows, scores, counts,
                                       resident.residency.load(std::memory_order_relaxed));
    if (!outcome.ok()) return outcome;
    for (std::size_t i = 0; i < queries.size() / snapshot.vectors.dimension(); ++i) {
      nameByStore(snapshot, rows.subspan(i * k, counts[i]));
    }
    return outcome;
  });
}

constexpr NamedCall kCalls[] = {
    {"recall", numberCall<recallCall>},
    {"readPath", numberCall<readPathCall>},
    {"search", numberCall<searchCall>},
};

}  // namespace

std::span<const NamedCall> recallCalls() { return kCalls; }

}  // namespace ontomem::binding
