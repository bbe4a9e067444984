// Writing a shard: turns, edges, forgetting; and reading edges back.
#include <memory>

#include "call.hpp"
#include "calls.hpp"
#include "ontomem/segment.hpp"

namespace ontomem::binding {
namespace {

using U32 = std::uint32_t;

/// [from.nextStored, from.changes, to.nextStored, to.changes, expected rows], see FollowStep.
FollowStep readStep(Arguments& arguments) {
  const auto numbers = arguments.array<U32>("step: not a Uint32Array");
  const auto forgotten = arguments.array<U32>("forgotten: not a Uint32Array");
  if (numbers.size() != 5) {
    arguments.refuse("step: wrong length");
    return {};
  }
  return {{numbers[0], numbers[1]}, {numbers[2], numbers[3]}, forgotten, numbers[4]};
}

RowBatch readRows(Arguments& arguments) {
  RowBatch batch;
  batch.count = arguments.whole("count: not a whole number", kNodeNumberLimit);
  batch.stored = arguments.array<U32>("stored: not a Uint32Array");
  batch.vectors = arguments.array<float>("vectors: not a Float32Array");
  batch.atMs = arguments.array<double>("atMs: not a Float64Array");
  batch.session = arguments.array<U32>("session: not a Uint32Array");
  batch.speaker = arguments.array<U32>("speaker: not a Uint32Array");
  batch.flags = arguments.array<U32>("flags: not a Uint32Array");
  batch.termOffsets = arguments.array<U32>("termOffsets: not a Uint32Array");
  batch.terms = arguments.array<U32>("terms: not a Uint32Array");
  batch.termCounts = arguments.array<std::uint16_t>("termCounts: not a Uint16Array");
  batch.length = arguments.array<U32>("lengths: not a Uint32Array");
  return batch;
}

constexpr double kFollowed = 1;
constexpr double kCompactionDue = 2;

/// Bits: 1 = done, 2 = enough is forgotten for a compaction; 0 = another thread was there first.
Outcome follow(Environment& environment, ShardHandle handle, const FollowStep& step, const RowBatch& batch,
               double& result) {
  bool followed = false;
  const Outcome outcome = withWriter(environment, handle, [&](Shard& shard) {
    const Outcome written = shard.follow(step, batch, followed);
    if (followed && !step.forgotten.empty() && Shard::isCompactionDue(shard.snapshot())) result += kCompactionDue;
    return written;
  });
  if (followed) result += kFollowed;
  return outcome;
}

Outcome followRows(Environment& environment, Arguments& arguments, double& result) {
  const ShardHandle handle = arguments.whole("handle: not a number");
  const FollowStep step = readStep(arguments);
  const RowBatch batch = readRows(arguments);
  if (!arguments.problem().ok()) return arguments.problem();
  return follow(environment, handle, step, batch, result);
}

std::span<std::byte> bytesOf(std::span<std::uint8_t> array) { return std::as_writable_bytes(array); }

Outcome followSegment(Environment& environment, Arguments& arguments, double& result) {
  const ShardHandle handle = arguments.whole("handle: not a number");
  const FollowStep step = readStep(arguments);
  const auto dimension = arguments.whole("dimension: not a whole number", kernels::kMaxDimension);
  const auto segment = arguments.array<std::uint8_t>("segment: not a Uint8Array");
  if (!arguments.problem().ok()) return arguments.problem();
  RowBatch batch;
  if (const Outcome outcome = readSegment(bytesOf(segment), dimension, batch); !outcome.ok()) return outcome;
  return follow(environment, handle, step, batch, result);
}

/// Packs rows into `out`; with an empty `out` it tells how many bytes that takes.
Outcome packSegmentCall(Environment&, Arguments& arguments, double& result) {
  const auto out = arguments.array<std::uint8_t>("out: not a Uint8Array");
  const auto dimension = arguments.whole("dimension: not a whole number", kernels::kMaxDimension);
  const RowBatch batch = readRows(arguments);
  if (!arguments.problem().ok()) return arguments.problem();
  result = static_cast<double>(segmentBytes(dimension, batch.count, batch.termCounts.size()));
  return out.empty() ? Outcome{} : packSegment(dimension, batch, bytesOf(out));
}

/// Compacts a shard on a thread of the pool: the copy may take a hundred milliseconds.
struct Compaction {
  ShardHandle handle;
  napi_async_work work = nullptr;

  static void run(napi_env, void* data) noexcept {
    EpochDomain& epochs = EpochDomain::process();
    try {
      EpochSlot& slot = epochs.acquireSlot();
      {
        const Pin pin(slot);
        ResidentShard* const resident = ShardRegistry::process().find(static_cast<Compaction*>(data)->handle);
        if (resident) (void)resident->shard.compactIfDue();
      }
      epochs.releaseSlot(slot);
    } catch (...) {
      // Without the memory for a second copy the forgotten rows stay hidden where they are; the next
      // forgetting asks again.
    }
    epochs.reclaim();
  }

  static void finish(napi_env env, napi_status, void* data) noexcept {
    const std::unique_ptr<Compaction> compaction(static_cast<Compaction*>(data));
    napi_delete_async_work(env, compaction->work);
  }
};

Outcome compactShard(Environment&, Arguments& arguments, double&) {
  const ShardHandle handle = arguments.whole("handle: not a number");
  if (!arguments.problem().ok()) return arguments.problem();
  const napi_env env = arguments.env();
  auto compaction = std::make_unique<Compaction>(handle);
  napi_value name = nullptr;
  napi_create_string_utf8(env, "ontomem compaction", NAPI_AUTO_LENGTH, &name);
  if (napi_create_async_work(env, nullptr, name, Compaction::run, Compaction::finish, compaction.get(),
                             &compaction->work) != napi_ok ||
      napi_queue_async_work(env, compaction->work) != napi_ok) {
    return {Status::limitExceeded, "compaction: no thread of the pool takes it"};
  }
  (void)compaction.release();
  return {};
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
    {"followRows", numberCall<followRows>},         {"followSegment", numberCall<followSegment>},
    {"packSegment", numberCall<packSegmentCall>},   {"compactShard", numberCall<compactShard>},
    {"appendEdges", numberCall<appendEdges>},       {"readEdges", numberCall<readEdges>},
    {"setEdgeWeights", numberCall<setEdgeWeights>}, {"closeEdges", numberCall<closeEdges>},
    {"setProfile", numberCall<setProfile>},
};

}  // namespace

std::span<const NamedCall> shardCalls() { return kCalls; }

}  // namespace ontomem::binding
