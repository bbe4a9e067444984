// Writing a shard: turns, edges, forgetting; and reading edges back.
#include "call.hpp"
#include "calls.hpp"

namespace ontomem::binding {
namespace {

using U32 = std::uint32_t;

Outcome appendRows(Environment& environment, Arguments& arguments, double& result) {
  const ShardHandle handle = arguments.whole("handle: not a number");
  RowBatch batch;
  batch.count = arguments.whole("count: not a whole number", kNodeNumberLimit);
  batch.vectors = arguments.array<float>("vectors: not a Float32Array");
  batch.atMs = arguments.array<double>("atMs: not a Float64Array");
  batch.session = arguments.array<U32>("session: not a Uint32Array");
  batch.speaker = arguments.array<U32>("speaker: not a Uint32Array");
  batch.previous = arguments.array<U32>("previous: not a Uint32Array");
  batch.flags = arguments.array<U32>("flags: not a Uint32Array");
  batch.termOffsets = arguments.array<U32>("termOffsets: not a Uint32Array");
  batch.terms = arguments.array<U32>("terms: not a Uint32Array");
  batch.termCounts = arguments.array<std::uint16_t>("termCounts: not a Uint16Array");
  batch.length = arguments.array<U32>("lengths: not a Uint32Array");
  if (!arguments.problem().ok()) return arguments.problem();
  Row first = 0;
  const Outcome outcome =
      withWriter(environment, handle, [&](Shard& shard) { return shard.appendRows(batch, first); });
  result = first;
  return outcome;
}

Outcome appendEdges(Environment& environment, Arguments& arguments, double& result) {
  const ShardHandle handle = arguments.whole("handle: not a number");
  EdgeBatch batch;
  batch.count = arguments.whole("count: not a whole number", kEdgeLimit);
  batch.source = arguments.array<U32>("source: not a Uint32Array");
  batch.target = arguments.array<U32>("target: not a Uint32Array");
  batch.type = arguments.array<std::uint16_t>("type: not a Uint16Array");
  batch.weight = arguments.array<float>("weight: not a Float32Array");
  batch.fromMs = arguments.array<double>("fromMs: not a Float64Array");
  batch.toMs = arguments.array<double>("toMs: not a Float64Array");
  batch.evidence = arguments.array<U32>("evidenceRow: not a Uint32Array");
  if (!arguments.problem().ok()) return arguments.problem();
  U32 first = 0;
  const Outcome outcome =
      withWriter(environment, handle, [&](Shard& shard) { return shard.appendEdges(batch, first); });
  result = first;
  return outcome;
}

Outcome setEdgeWeights(Environment& environment, Arguments& arguments, double&) {
  const ShardHandle handle = arguments.whole("handle: not a number");
  const auto edges = arguments.array<U32>("edges: not a Uint32Array");
  const auto weights = arguments.array<float>("weights: not a Float32Array");
  if (!arguments.problem().ok()) return arguments.problem();
  return withWriter(environment, handle, [&](Shard& shard) { return shard.setEdgeWeights(edges, weights); });
}

Outcome closeEdges(Environment& environment, Arguments& arguments, double&) {
  const ShardHandle handle = arguments.whole("handle: not a number");
  const auto edges = arguments.array<U32>("edges: not a Uint32Array");
  const auto toMs = arguments.array<double>("toMs: not a Float64Array");
  if (!arguments.problem().ok()) return arguments.problem();
  return withWriter(environment, handle, [&](Shard& shard) { return shard.closeEdges(edges, toMs); });
}

Outcome setProfile(Environment& environment, Arguments& arguments, double&) {
  const ShardHandle handle = arguments.whole("handle: not a number");
  const auto rows = arguments.array<U32>("rows: not a Uint32Array");
  const auto values = arguments.array<float>("values: not a Float32Array");
  if (!arguments.problem().ok()) return arguments.problem();
  return withWriter(environment, handle, [&](Shard& shard) { return shard.setProfile(rows, values); });
}

Outcome tombstoneRows(Environment& environment, Arguments& arguments, double&) {
  const ShardHandle handle = arguments.whole("handle: not a number");
  const auto rows = arguments.array<U32>("rows: not a Uint32Array");
  if (!arguments.problem().ok()) return arguments.problem();
  return withWriter(environment, handle, [&](Shard& shard) { return shard.tombstoneRows(rows); });
}

Outcome compact(Environment& environment, Arguments& arguments, double&) {
  const ShardHandle handle = arguments.whole("handle: not a number");
  const auto rowMap = arguments.array<U32>("rowMap: not a Uint32Array");
  const auto edgeMap = arguments.array<U32>("edgeMap: not a Uint32Array");
  if (!arguments.problem().ok()) return arguments.problem();
  return withWriter(environment, handle, [&](Shard& shard) { return shard.compact(rowMap, edgeMap); });
}

Outcome readEdges(Environment& environment, Arguments& arguments, double&) {
  const ShardHandle handle = arguments.whole("handle: not a number");
  const auto edges = arguments.array<U32>("edges: not a Uint32Array");
  const auto source = arguments.array<U32>("source: not a Uint32Array");
  const auto target = arguments.array<U32>("target: not a Uint32Array");
  const auto type = arguments.array<std::uint16_t>("type: not a Uint16Array");
  const auto weight = arguments.array<float>("weight: not a Float32Array");
  const auto fromMs = arguments.array<double>("fromMs: not a Float64Array");
  const auto toMs = arguments.array<double>("toMs: not a Float64Array");
  const auto evidence = arguments.array<U32>("evidenceRow: not a Uint32Array");
  if (!arguments.problem().ok()) return arguments.problem();
  for (const std::size_t size : {source.size(), target.size(), type.size(), weight.size(), fromMs.size(),
                                 toMs.size(), evidence.size()}) {
    if (size < edges.size()) return badArgument("edges: an output array is shorter");
  }
  return withShard(environment, handle, [&](ResidentShard& resident) -> Outcome {
    const Snapshot& snapshot = resident.shard.snapshot();
    for (const U32 number : edges) {
      if (number >= snapshot.edges.size()) return badArgument("edges: no such edge");
    }
    for (std::size_t i = 0; i < edges.size(); ++i) {
      const Edge& edge = snapshot.edges[edges[i]];
      source[i] = edge.source;
      target[i] = edge.target;
      type[i] = edge.type;
      weight[i] = edge.weight;
      fromMs[i] = edge.fromMs;
      toMs[i] = edge.toMs;
      evidence[i] = edge.evidence;
    }
    return {};
  });
}

constexpr NamedCall kCalls[] = {
    {"appendRows", numberCall<appendRows>},         {"appendEdges", numberCall<appendEdges>},
    {"setEdgeWeights", numberCall<setEdgeWeights>}, {"closeEdges", numberCall<closeEdges>},
    {"setProfile", numberCall<setProfile>},         {"tombstoneRows", numberCall<tombstoneRows>},
    {"compact", numberCall<compact>},               {"readEdges", numberCall<readEdges>},
};

}  // namespace

std::span<const NamedCall> shardCalls() { return kCalls; }

}  // namespace ontomem::binding
