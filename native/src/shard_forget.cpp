// Forgetting rows, and the compaction that gives their memory back.
#include <algorithm>
#include <cmath>
#include <cstring>
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

void copyColumns(const Snapshot& from, std::span<const Row> rowMap, Snapshot& to) {
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
    fresh.clearNext(at);
    const Row next = mapped(old.next(row, from.rows), rowMap);
    if (next != kNoRow) fresh.linkNext(at, next);
    fresh.sessionChain()[at] = to.sessions.newest[fresh.session()[at]];
    fresh.speakerChain()[at] = to.speakers.newest[fresh.speaker()[at]];
    to.sessions.newest.mutableData()[fresh.session()[at]] = at;
    to.speakers.newest.mutableData()[fresh.speaker()[at]] = at;
    to.vectors.copyRow(at, from.vectors, row);
    if (to.profile) to.profile[at] = from.profile[row];
    to.oldestMs = at == 0 ? fresh.atMs()[at] : std::min(to.oldestMs, fresh.atMs()[at]);
    to.newestMs = at == 0 ? fresh.atMs()[at] : std::max(to.newestMs, fresh.atMs()[at]);
  }
}

Postings compactPostings(const Postings& old, std::span<const Row> rowMap,
                         const std::shared_ptr<MemoryAccount>& account) {
  std::vector<Postings::Entry> entries;
  for (const auto& run : old.runs()) {
    for (std::size_t key = 0; key < run->keyCount(); ++key) {
      for (Posting posting : run->valuesAt(key)) {
        posting.row = rowMap[posting.row];
        if (posting.row != kGone) entries.push_back({run->key(key), posting});
      }
    }
  }
  Postings fresh;
  fresh.append(account, entries);
  return fresh;
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
  const std::size_t words = bitsetWords(now.columns.capacity());
  next->tombstones = SharedArray<std::uint64_t>(account_, words);
  if (now.tombstones) {
    std::memcpy(next->tombstones.data(), now.tombstones.data(), words * sizeof(std::uint64_t));
  } else {
    std::memset(next->tombstones.data(), 0, words * sizeof(std::uint64_t));
  }
  for (const Row row : rows) {
    if (!next->isLive(row)) continue;
    next->tombstones[row / 64] |= std::uint64_t{1} << (row % 64);
    --next->liveRows;
    next->liveLength -= now.columns.length()[row];
  }
  publish(std::move(next));
  return {};
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

Outcome Shard::compact(std::span<Row> rowMap, std::span<std::uint32_t> edgeMap) {
  const std::lock_guard guard(writer_);
  const Snapshot& now = snapshot();
  if (rowMap.size() < now.rows) return badArgument("rowMap: too short");
  if (edgeMap.size() < now.edges.size()) return badArgument("edgeMap: too short");
  numberRows(now, rowMap);

  auto next = std::make_unique<Snapshot>();
  next->rows = now.liveRows;
  next->liveRows = now.liveRows;
  next->liveLength = now.liveLength;
  next->layout = now.layout + 1;
  next->columns = RowColumns(account_, now.liveRows);
  next->vectors = VectorStore(now.vectors.dimension(), now.vectors.format());
  next->vectors.reserve(account_, 0, now.liveRows);
  next->sessions = now.sessions;
  next->speakers = now.speakers;
  for (GroupTable* const groups : {&next->sessions, &next->speakers}) {
    groups->newest.detach(account_);
    std::fill_n(groups->newest.mutableData(), groups->newest.size(), kNoRow);
  }
  if (now.profile) next->profile = SharedArray<float>(account_, now.liveRows);
  copyColumns(now, rowMap, *next);
  next->postings = compactPostings(now.postings, rowMap, account_);
  compactEdges(now, rowMap, edgeMap, account_, *next);
  publish(std::move(next));
  return {};
}

}  // namespace ontomem
