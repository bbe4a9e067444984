// Appending turns, and publication. Edges and forgetting are in shard_edges.cpp and shard_forget.cpp.
#include "ontomem/shard.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace ontomem {
namespace {

/// The batch's terms, by hash and then row.
std::vector<Postings::Entry> postingEntries(const RowBatch& batch, Row firstRow) {
  std::vector<Postings::Entry> entries(batch.termCounts.size());
  const auto put = [&](std::size_t term, std::size_t place) {
    const std::uint64_t hash =
        batch.terms[2 * term] | static_cast<std::uint64_t>(batch.terms[2 * term + 1]) << 32;
    const auto length = static_cast<std::uint16_t>(std::min<std::uint32_t>(batch.length[place], 0xffff));
    entries[term] = {hash, {firstRow + static_cast<Row>(place), batch.termCounts[term], length}};
  };
  if (!batch.termRows.empty()) {
    for (std::size_t term = 0; term < entries.size(); ++term) put(term, batch.termRows[term]);
    return entries;
  }
  for (std::size_t i = 0; i < batch.count; ++i) {
    for (std::size_t term = batch.termOffsets[i]; term < batch.termOffsets[i + 1]; ++term) put(term, i);
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const auto& left, const auto& right) { return left.key < right.key; });
  return entries;
}

/// Sorted by hash, then row: what a batch with termRows promises.
bool isSorted(std::span<const Postings::Entry> entries) {
  return std::is_sorted(entries.begin(), entries.end(), [](const auto& left, const auto& right) {
    return left.key != right.key ? left.key < right.key : left.value.row < right.value.row;
  });
}

bool hasRepeatedTerm(std::span<const Postings::Entry> sorted) {
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i].key == sorted[i - 1].key && sorted[i].value.row == sorted[i - 1].value.row) return true;
  }
  return false;
}

}  // namespace

Shard::Shard(std::size_t dimension, VectorFormat format, std::shared_ptr<MemoryAccount> above)
    : account_(std::make_shared<MemoryAccount>(std::move(above))) {
  auto first = std::make_unique<Snapshot>();
  first->vectors = VectorStore(dimension, format);
  current_.store(first.release(), std::memory_order_seq_cst);
}

Shard::~Shard() { delete current_.load(std::memory_order_relaxed); }

std::unique_ptr<Snapshot> Shard::draft() const { return std::make_unique<Snapshot>(snapshot()); }

void Shard::publish(std::unique_ptr<Snapshot> next) noexcept {
  const Snapshot* const old = current_.exchange(next.release(), std::memory_order_seq_cst);
  EpochDomain::process().retire(old);
}

void Shard::GroupIndex::add(GroupTable& table, std::span<const std::uint32_t> numbers,
                            const std::shared_ptr<MemoryAccount>& account) {
  std::vector<std::uint32_t> fresh;
  const std::size_t known = table.numbers.size();
  for (const std::uint32_t number : numbers) {
    const auto [entry, added] =
        ordinals.try_emplace(number, static_cast<std::uint32_t>(known + fresh.size()));
    if (added) fresh.push_back(number);
  }
  table.numbers.reserveExtra(account, fresh.size());
  table.newest.reserveExtra(account, fresh.size());
  for (const std::uint32_t number : fresh) {
    table.numbers.append(number);
    table.newest.append(kNoRow);
  }
}

void Shard::GroupIndex::forgetFrom(std::size_t ordinal) {
  std::erase_if(ordinals, [ordinal](const auto& entry) { return entry.second >= ordinal; });
}

Outcome Shard::validate(const RowBatch& batch, const Snapshot& now) const {
  const std::size_t count = batch.count;
  if (batch.vectors.size() != count * now.vectors.dimension()) return badArgument("vectors: wrong length");
  if (batch.atMs.size() != count) return badArgument("atMs: wrong length");
  if (batch.session.size() != count) return badArgument("session: wrong length");
  if (batch.speaker.size() != count) return badArgument("speaker: wrong length");
  if (!batch.previous.empty() && batch.previous.size() != count) return badArgument("previous: wrong length");
  if (batch.flags.size() != count) return badArgument("flags: wrong length");
  if (batch.length.size() != count) return badArgument("lengths: wrong length");
  std::size_t terms = batch.termRows.size();
  if (batch.termRows.empty()) {
    if (batch.termOffsets.size() != count + 1) return badArgument("termOffsets: wrong length");
    if (batch.termOffsets[0] != 0) return badArgument("termOffsets: does not start at 0");
    for (std::size_t i = 0; i < count; ++i) {
      if (batch.termOffsets[i] > batch.termOffsets[i + 1]) return badArgument("termOffsets: not ascending");
    }
    terms = batch.termOffsets[count];
  }
  for (const std::uint32_t place : batch.termRows) {
    if (place >= count) return badArgument("termRows: no such turn in the batch");
  }
  if (batch.terms.size() != 2 * terms) return badArgument("terms: wrong length");
  if (batch.termCounts.size() != terms) return badArgument("termCounts: wrong length");
  if (!batch.stored.empty() && batch.stored.size() != count) return badArgument("stored: wrong length");
  for (std::size_t i = 0; i < batch.stored.size(); ++i) {
    const std::uint32_t least = i == 0 ? now.position.nextStored : batch.stored[i - 1] + 1;
    if (batch.stored[i] < least) return badArgument("stored: not ascending");
    if (batch.stored[i] == kNoRow) return badArgument("stored: number too large");
  }
  if (now.rows + count >= kNodeNumberLimit) return {Status::limitExceeded, "rows: too many for one shard"};
  for (std::size_t i = 0; i < count; ++i) {
    if (batch.session[i] >= kNodeNumberLimit) return badArgument("session: number too large");
    if (batch.speaker[i] >= kNodeNumberLimit) return badArgument("speaker: number too large");
    if (!batch.previous.empty() && batch.previous[i] != kNoRow && batch.previous[i] >= now.rows + i) {
      return badArgument("previous: not an earlier row");
    }
    if (!std::isfinite(batch.atMs[i])) return {Status::notFinite, "atMs: not finite"};
  }
  if (!kernels::active().allFinite(batch.vectors.data(), batch.vectors.size())) {
    return {Status::notFinite, "vectors: not finite"};
  }
  return {};
}

Outcome Shard::appendRows(const RowBatch& batch, Row& firstRow) {
  const std::lock_guard guard(writer_);
  const Snapshot& now = snapshot();
  firstRow = now.rows;
  std::unique_ptr<Snapshot> next = draft();
  if (const Outcome outcome = extend(*next, batch, 0); !outcome.ok() || batch.count == 0) return outcome;
  next->position.nextStored = next->columns.stored()[next->rows - 1] + 1;
  publish(std::move(next));
  return {};
}

Outcome Shard::follow(const FollowStep& step, const RowBatch& batch, bool& followed) {
  const std::unique_lock guard(writer_, std::try_to_lock);
  followed = guard.owns_lock() && snapshot().position == step.from;
  if (!followed) return {};
  const Snapshot& now = snapshot();
  if (step.to.nextStored < step.from.nextStored) return badArgument("to: behind from");
  if (!batch.stored.empty() && batch.stored.back() >= step.to.nextStored) return badArgument("stored: beyond to");
  std::vector<Row> forgotten;
  for (const std::uint32_t stored : step.forgotten) {
    if (const Row row = now.rowOfStored(stored); row != kNoRow) forgotten.push_back(row);
  }
  std::unique_ptr<Snapshot> next = draft();
  if (!forgotten.empty()) forget(*next, forgotten);
  if (batch.count != 0) {
    if (const Outcome outcome = extend(*next, batch, step.expectedRows); !outcome.ok()) return outcome;
  }
  next->position = step.to;
  publish(std::move(next));
  return {};
}

Outcome Shard::extend(Snapshot& next, const RowBatch& batch, std::size_t expectedRows) {
  if (const Outcome outcome = validate(batch, next); !outcome.ok() || batch.count == 0) return outcome;
  std::vector<Postings::Entry> entries = postingEntries(batch, next.rows);
  if (!isSorted(entries)) return badArgument("terms: not sorted");
  if (hasRepeatedTerm(entries)) return badArgument("terms: repeated within a turn");
  const std::size_t room = std::max(batch.count, next.rows == 0 ? expectedRows : 0);
  const std::size_t sessions = next.sessions.numbers.size();
  const std::size_t speakers = next.speakers.numbers.size();
  try {
    reserveRows(next, room);
    sessionIndex_.add(next.sessions, batch.session, account_);
    speakerIndex_.add(next.speakers, batch.speaker, account_);
    next.vectors.reserve(account_, next.rows, room);
    next.vectors.append(account_, next.rows, batch.vectors.data(), batch.count);
    next.postings.append(account_, entries);
  } catch (...) {
    sessionIndex_.forgetFrom(sessions);
    speakerIndex_.forgetFrom(speakers);
    throw;
  }
  writeRows(next, batch);
  return {};
}

void Shard::reserveRows(Snapshot& next, std::size_t extra) const {
  const std::size_t needed = next.rows + extra;
  if (needed <= next.columns.capacity()) return;
  const std::size_t capacity =
      next.rows == 0 ? needed : std::max<std::size_t>(needed, next.rows + next.rows / 2);
  next.columns = next.columns.grown(account_, next.rows, capacity);
  // Readers of the old columns must not meet rows that only the new ones hold.
  next.sessions.newest.detach(account_);
  next.speakers.newest.detach(account_);
  const auto widen = [&](auto& array, std::size_t used, std::size_t wanted) {
    if (!array) return;
    std::remove_reference_t<decltype(array)> wide(account_, wanted);
    std::memcpy(wide.data(), array.data(), used * sizeof(array[0]));
    std::memset(wide.data() + used, 0, (wanted - used) * sizeof(array[0]));
    array = wide;
  };
  widen(next.tombstones, bitsetWords(next.rows), bitsetWords(capacity));
  widen(next.profile, next.rows, capacity);
}

void Shard::writeRows(Snapshot& next, const RowBatch& batch) const noexcept {
  const RowColumns& columns = next.columns;
  const auto chain = [](GroupTable& groups, std::uint32_t ordinal, Row row) {
    return std::atomic_ref<Row>(groups.newest.mutableData()[ordinal])
        .exchange(row, std::memory_order_acq_rel);
  };
  for (std::size_t i = 0; i < batch.count; ++i) {
    const Row row = next.rows + static_cast<Row>(i);
    columns.atMs()[row] = batch.atMs[i];
    columns.stored()[row] = batch.stored.empty() ? next.position.nextStored + static_cast<Row>(i) : batch.stored[i];
    columns.flags()[row] = batch.flags[i];
    columns.length()[row] = batch.length[i];
    columns.clearNext(row);
    columns.session()[row] = sessionIndex_.ordinals.find(batch.session[i])->second;
    columns.speaker()[row] = speakerIndex_.ordinals.find(batch.speaker[i])->second;
    next.liveLength += batch.length[i];
    const bool first = next.liveRows == 0 && i == 0;
    next.oldestMs = first ? batch.atMs[i] : std::min(next.oldestMs, batch.atMs[i]);
    next.newestMs = first ? batch.atMs[i] : std::max(next.newestMs, batch.atMs[i]);
  }
  for (std::size_t i = 0; i < batch.count; ++i) {
    const Row row = next.rows + static_cast<Row>(i);
    // The chain is written before the head that leads to it.
    Row& sessionChain = columns.sessionChain()[row];
    Row& speakerChain = columns.speakerChain()[row];
    sessionChain = next.sessions.newest[columns.session()[row]];
    speakerChain = next.speakers.newest[columns.speaker()[row]];
    Row previous = batch.previous.empty() ? sessionChain : batch.previous[i];
    if (previous != kNoRow && !next.isLive(previous)) previous = columns.previous()[previous];
    columns.previous()[row] = previous;
    if (previous != kNoRow) columns.linkNext(previous, row);
    chain(next.sessions, columns.session()[row], row);
    chain(next.speakers, columns.speaker()[row], row);
  }
  next.rows += static_cast<std::uint32_t>(batch.count);
  next.liveRows += static_cast<std::uint32_t>(batch.count);
}

}  // namespace ontomem
