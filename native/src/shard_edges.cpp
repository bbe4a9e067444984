// The shard's graph: appending edges and changing what may change of them.
#include <cmath>
#include <vector>

#include "ontomem/shard.hpp"

namespace ontomem {
namespace {

bool allBelow(std::span<const std::uint32_t> numbers, std::size_t limit) {
  for (const std::uint32_t number : numbers) {
    if (number >= limit) return false;
  }
  return true;
}

bool isKnown(Node node, const Snapshot& now) {
  return nodeKind(node) != NodeKind::turn || nodeNumber(node) < now.rows;
}

}  // namespace

Outcome Shard::validate(const EdgeBatch& batch, const Snapshot& now) const {
  const std::size_t count = batch.count;
  if (batch.source.size() != count) return badArgument("source: wrong length");
  if (batch.target.size() != count) return badArgument("target: wrong length");
  if (batch.type.size() != count) return badArgument("type: wrong length");
  if (batch.weight.size() != count) return badArgument("weight: wrong length");
  if (batch.fromMs.size() != count) return badArgument("fromMs: wrong length");
  if (batch.toMs.size() != count) return badArgument("toMs: wrong length");
  if (batch.evidence.size() != count) return badArgument("evidenceRow: wrong length");
  if (now.edges.size() + count >= kEdgeLimit) return {Status::limitExceeded, "edges: too many for one shard"};
  for (std::size_t i = 0; i < count; ++i) {
    if (!isKnown(batch.source[i], now)) return badArgument("source: no such row");
    if (!isKnown(batch.target[i], now)) return badArgument("target: no such row");
    if (batch.type[i] < edge_type::firstStored || batch.type[i] >= edge_type::limit) {
      return badArgument("type: reserved or too large");
    }
    if (!std::isfinite(batch.weight[i])) return {Status::notFinite, "weight: not finite"};
    if (batch.weight[i] < 0) return badArgument("weight: negative");
    if (std::isnan(batch.fromMs[i])) return {Status::notFinite, "fromMs: not a number"};
    if (std::isnan(batch.toMs[i])) return {Status::notFinite, "toMs: not a number"};
    if (batch.evidence[i] != kNoRow && batch.evidence[i] >= now.rows) {
      return badArgument("evidenceRow: no such row");
    }
  }
  return {};
}

Outcome Shard::appendEdges(const EdgeBatch& batch, std::uint32_t& firstEdge) {
  const std::lock_guard guard(writer_);
  const Snapshot& now = snapshot();
  if (const Outcome outcome = validate(batch, now); !outcome.ok()) return outcome;
  firstEdge = static_cast<std::uint32_t>(now.edges.size());
  if (batch.count == 0) return {};

  std::unique_ptr<Snapshot> next = draft();
  next->edges.reserveExtra(account_, batch.count);
  std::vector<Adjacency::Entry> ends;
  ends.reserve(2 * batch.count);
  for (std::uint32_t i = 0; i < batch.count; ++i) {
    next->edges.append({batch.fromMs[i], batch.toMs[i], batch.source[i], batch.target[i], batch.weight[i],
                        batch.evidence[i], batch.type[i]});
    ends.push_back({batch.source[i], {firstEdge + i, 0}});
    ends.push_back({batch.target[i], {firstEdge + i, 1}});
  }
  next->adjacency.append(account_, ends);
  publish(std::move(next));
  return {};
}

Outcome Shard::setEdgeWeights(std::span<const std::uint32_t> edges, std::span<const float> weights) {
  const std::lock_guard guard(writer_);
  if (edges.size() != weights.size()) return badArgument("weights: wrong length");
  if (!allBelow(edges, snapshot().edges.size())) return badArgument("edges: no such edge");
  for (const float weight : weights) {
    if (!std::isfinite(weight)) return {Status::notFinite, "weights: not finite"};
    if (weight < 0) return badArgument("weights: negative");
  }
  if (edges.empty()) return {};
  std::unique_ptr<Snapshot> next = draft();
  next->edges.detach(account_);
  for (std::size_t i = 0; i < edges.size(); ++i) next->edges.mutableData()[edges[i]].weight = weights[i];
  publish(std::move(next));
  return {};
}

Outcome Shard::closeEdges(std::span<const std::uint32_t> edges, std::span<const double> toMs) {
  const std::lock_guard guard(writer_);
  if (edges.size() != toMs.size()) return badArgument("toMs: wrong length");
  if (!allBelow(edges, snapshot().edges.size())) return badArgument("edges: no such edge");
  for (const double to : toMs) {
    if (std::isnan(to)) return {Status::notFinite, "toMs: not a number"};
  }
  if (edges.empty()) return {};
  std::unique_ptr<Snapshot> next = draft();
  next->edges.detach(account_);
  for (std::size_t i = 0; i < edges.size(); ++i) next->edges.mutableData()[edges[i]].toMs = toMs[i];
  publish(std::move(next));
  return {};
}

}  // namespace ontomem
