// Forgetting rows, and the compaction that gives their memory back.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "ontomem/shard.hpp"

namespace ontomem {
namespace {

constexpr std::uint32_t kGone = 0xffffffff;

/// New numbers of the live rows, in order.
void numberRows(const Snapshot& now, std::span<Row> rowMap) {
  Row live = 0;
  for (Row row = 0; row < now.rows; ++row) rowMap[row] = now.isLive(row) ? live++ : kGone;
}

Row mapped(Row row, std::span<const Row> rowMap) { return row == kNoRow ? kNoRow : rowMap[row]; }

Node mappedNode(Node node, std::span<const Row> rowMap) {
  return nodeKind(node) == NodeKind::turn ? rowMap[nodeNumber(node)] : node;
}

bool survives(const Edge& edge, std::span<const Row> rowMap) {
  return mappedNode(edge.source, rowMap) != kGone && mappedNode(edge.target, rowMap) != kGone &&
         (edge.evidence == kNoRow || rowMap[edge.evidence] != kGone);
}

/// Links the live rows anew, as if the others had never been appended, and finds the span of their times.
/// The columns and the newest rows of the groups must be `next`'s own.
void linkLiveRows(Snapshot& next) noexcept {
  const RowColumns& columns = next.columns;
  for (GroupTable* const groups : {&next.sessions, &next.speakers}) {
    std::fill_n(groups->newest.mutableData(), groups->newest.size(), kNoRow);
  }
  next.oldestMs = next.newestMs = 0;
  bool any = false;
  for (Row row = 0; row < next.rows; ++row) {
    columns.clearNext(row);
    Row& previous = columns.previous()[row];
    // An earlier row that is gone knows by now which live one is before it.
    if (previous != kNoRow && !next.isLive(previous)) previous = columns.previous()[previous];
    if (!next.isLive(row)) continue;
    if (previous != kNoRow) columns.linkNext(previous, row);
    Row& inSession = next.sessions.newest.mutableData()[columns.session()[row]];
    Row& bySpeaker = next.speakers.newest.mutableData()[columns.speaker()[row]];
    columns.sessionChain()[row] = std::exchange(inSession, row);
    columns.speakerChain()[row] = std::exchange(bySpeaker, row);
    const double atMs = columns.atMs()[row];
    next.oldestMs = any ? std::min(next.oldestMs, atMs) : atMs;
    next.newestMs = any ? std::max(next.newestMs, atMs) : atMs;
    any = true;
  }
}

void copyLiveRows(const Snapshot& from, std::span<const Row> rowMap, Snapshot& to) noexcept {
  const RowColumns& old = from.columns;
  const RowColumns& fresh = to.columns;
  for (Row row = 0; row < from.rows; ++row) {
    const Row at = rowMap[row];
    if (at == kGone) continue;
    fresh.atMs()[at] = old.atMs()[row];
    fresh.session()[at] = old.session()[row];
    fresh.speaker()[at] = old.speaker()[row];
    fresh.previous()[at] = mapped(old.previous()[row], rowMap);
    fresh.flags()[at] = old.flags()[row];
    fresh.length()[at] = old.length()[row];
    fresh.stored()[at] = old.stored()[row];
    to.vectors.copyRow(at, from.vectors, row);
    if (to.profile) to.profile[at] = from.profile[row];
  }
}

void compactEdges(const Snapshot& now, std::span<const Row> rowMap, std::span<std::uint32_t> edgeMap,
                  const std::shared_ptr<MemoryAccount>& account, Snapshot& next) {
  std::vector<Adjacency::Entry> ends;
  next.edges.reserveExtra(account, now.edges.size());
  for (std::size_t i = 0; i < now.edges.size(); ++i) {
    Edge edge = now.edges[i];
    edgeMap[i] = kGone;
    if (!survives(edge, rowMap)) continue;
    edge.source = mappedNode(edge.source, rowMap);
    edge.target = mappedNode(edge.target, rowMap);
    edge.evidence = mapped(edge.evidence, rowMap);
    const auto number = static_cast<std::uint32_t>(next.edges.size());
    edgeMap[i] = number;
    next.edges.append(edge);
    ends.push_back({edge.source, {number, 0}});
    ends.push_back({edge.target, {number, 1}});
  }
  next.adjacency.append(account, ends);
}

}  // namespace

Outcome Shard::tombstoneRows(std::span<const Row> rows) {
  const std::lock_guard guard(writer_);
  const Snapshot& now = snapshot();
  for (const Row row : rows) {
    if (row >= now.rows) return badArgument("rows: no such row");
  }
  if (rows.empty()) return {};
  std::unique_ptr<Snapshot> next = draft();
  forget(*next, rows);
  publish(std::move(next));
  return {};
}

void Shard::forget(Snapshot& next, std::span<const Row> rows) const {
  const std::size_t capacity = next.columns.capacity();
  const SharedArray<std::uint64_t> old = next.tombstones;
  const std::size_t words = bitsetWords(capacity);
  next.tombstones = SharedArray<std::uint64_t>(account_, words);
  if (old) std::memcpy(next.tombstones.data(), old.data(), words * sizeof(std::uint64_t));
  else std::memset(next.tombstones.data(), 0, words * sizeof(std::uint64_t));
  // Readers of older snapshots keep the links they know.
  next.columns = next.columns.grown(account_, next.rows, capacity);
  next.sessions.newest.detach(account_);
  next.speakers.newest.detach(account_);
  for (const Row row : rows) {
    if (!next.isLive(row)) continue;
    next.tombstones[row / 64] |= std::uint64_t{1} << (row % 64);
    --next.liveRows;
    next.liveLength -= next.columns.length()[row];
  }
  linkLiveRows(next);
}

Outcome Shard::setProfile(std::span<const Row> rows, std::span<const float> values) {
  const std::lock_guard guard(writer_);
  const Snapshot& now = snapshot();
  if (rows.size() != values.size()) return badArgument("values: wrong length");
  for (const Row row : rows) {
    if (row >= now.rows) return badArgument("rows: no such row");
  }
  for (const float value : values) {
    if (!(value >= 0 && value <= 1)) return badArgument("values: not in [0, 1]");
  }
  if (rows.empty()) return {};
  std::unique_ptr<Snapshot> next = draft();
  next->profile = SharedArray<float>(account_, now.columns.capacity());
  if (now.profile) {
    std::memcpy(next->profile.data(), now.profile.data(), now.columns.capacity() * sizeof(float));
  } else {
    std::fill_n(next->profile.data(), now.columns.capacity(), 0.0f);
  }
  for (std::size_t i = 0; i < rows.size(); ++i) next->profile[rows[i]] = values[i];
  publish(std::move(next));
  return {};
}

std::unique_ptr<Snapshot> Shard::compacted(std::span<Row> rowMap, std::span<std::uint32_t> edgeMap) const {
  const Snapshot& now = snapshot();
  numberRows(now, rowMap);
  auto next = std::make_unique<Snapshot>();
  next->position = now.position;
  next->rows = now.liveRows;
  next->liveRows = now.liveRows;
  next->liveLength = now.liveLength;
  next->layout = now.layout + 1;
  next->columns = RowColumns(account_, now.liveRows);
  next->vectors = VectorStore(now.vectors.dimension(), now.vectors.format());
  next->vectors.reserve(account_, 0, now.liveRows);
  next->sessions = now.sessions;
  next->speakers = now.speakers;
  next->sessions.newest.detach(account_);
  next->speakers.newest.detach(account_);
  if (now.profile) next->profile = SharedArray<float>(account_, now.liveRows);
  copyLiveRows(now, rowMap, *next);
  linkLiveRows(*next);
  next->postings = now.postings.filtered(account_, [rowMap](Posting& posting) {
    posting.row = rowMap[posting.row];
    return posting.row != kGone;
  });
  compactEdges(now, rowMap, edgeMap, account_, *next);
  return next;
}

Outcome Shard::compact(std::span<Row> rowMap, std::span<std::uint32_t> edgeMap) {
  const std::lock_guard guard(writer_);
  const Snapshot& now = snapshot();
  if (rowMap.size() < now.rows) return badArgument("rowMap: too short");
  if (edgeMap.size() < now.edges.size()) return badArgument("edgeMap: too short");
  publish(compacted(rowMap, edgeMap));
  return {};
}

Outcome Shard::compactIfDue() {
  const std::lock_guard guard(writer_);
  const Snapshot& now = snapshot();
  if (!isCompactionDue(now)) return {};
  std::vector<Row> rowMap(now.rows);
  std::vector<std::uint32_t> edgeMap(now.edges.size());
  publish(compacted(rowMap, edgeMap));
  return {};
}

}  // namespace ontomem
