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
  for (std::size_t i = 0; i < batch.count; ++i) {
    const auto length = static_cast<std::uint16_t>(std::min<std::uint32_t>(batch.length[i], 0xffff));
    for (std::size_t term = batch.termOffsets[i]; term < batch.termOffsets[i + 1]; ++term) {
      const std::uint64_t hash =
          batch.terms[2 * term] | static_cast<std::uint64_t>(batch.terms[2 * term + 1]) << 32;
      entries[term] = {hash, {firstRow + static_cast<Row>(i), batch.termCounts[term], length}};
    }
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const auto& left, const auto& right) { return left.key < right.key; });
  return entries;
}

bool hasRepeatedTerm(std::span<const Postings::Entry> sorted) {
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i].key == sorted[i - 1].key && sorted[i].value.row == sorted[i - 1].value.row) return true;
  }
  return false;
}

}  // namespace

Shard::Shard(std::size_t dimension, VectorFormat format) : account_(std::make_shared<MemoryAccount>()) {
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
  if (batch.previous.size() != count) return badArgument("previous: wrong length");
  if (batch.flags.size() != count) return badArgument("flags: wrong length");
  if (batch.length.size() != count) return badArgument("lengths: wrong length");
  if (batch.termOffsets.size() != count + 1) return badArgument("termOffsets: wrong length");
  if (batch.termOffsets[0] != 0) return badArgument("termOffsets: does not start at 0");
  for (std::size_t i = 0; i < count; ++i) {
    if (batch.termOffsets[i] > batch.termOffsets[i + 1]) return badArgument("termOffsets: not ascending");
  }
  const std::size_t terms = batch.termOffsets[count];
  if (batch.terms.size() != 2 * terms) return badArgument("terms: wrong length");
  if (batch.termCounts.size() != terms) return badArgument("termCounts: wrong length");
  if (now.rows + count >= kNodeNumberLimit) return {Status::limitExceeded, "rows: too many for one shard"};
  for (std::size_t i = 0; i < count; ++i) {
    if (batch.session[i] >= kNodeNumberLimit) return badArgument("session: number too large");
    if (batch.speaker[i] >= kNodeNumberLimit) return badArgument("speaker: number too large");
    if (batch.previous[i] != kNoRow && batch.previous[i] >= now.rows + i) {
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
  if (const Outcome outcome = validate(batch, now); !outcome.ok()) return outcome;
  firstRow = now.rows;
  if (batch.count == 0) return {};

  std::vector<Postings::Entry> entries = postingEntries(batch, now.rows);
  if (hasRepeatedTerm(entries)) return badArgument("terms: repeated within a turn");
  std::unique_ptr<Snapshot> next = draft();
  try {
    reserveRows(*next, batch.count);
    sessionIndex_.add(next->sessions, batch.session, account_);
    speakerIndex_.add(next->speakers, batch.speaker, account_);
    next->vectors.append(account_, now.rows, batch.vectors.data(), batch.count);
    next->postings.append(account_, entries);
  } catch (...) {
    sessionIndex_.forgetFrom(now.sessions.numbers.size());
    speakerIndex_.forgetFrom(now.speakers.numbers.size());
    throw;
  }
  writeRows(*next, batch);
  publish(std::move(next));
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
    columns.previous()[row] = batch.previous[i];
    columns.flags()[row] = batch.flags[i];
    columns.length()[row] = batch.length[i];
    columns.clearNext(row);
    columns.session()[row] = sessionIndex_.ordinals.find(batch.session[i])->second;
    columns.speaker()[row] = speakerIndex_.ordinals.find(batch.speaker[i])->second;
    next.liveLength += batch.length[i];
    const bool first = next.rows == 0 && i == 0;
    next.oldestMs = first ? batch.atMs[i] : std::min(next.oldestMs, batch.atMs[i]);
    next.newestMs = first ? batch.atMs[i] : std::max(next.newestMs, batch.atMs[i]);
  }
  for (std::size_t i = 0; i < batch.count; ++i) {
    const Row row = next.rows + static_cast<Row>(i);
    if (batch.previous[i] != kNoRow) columns.linkNext(batch.previous[i], row);
    // The chain is written before the head that leads to it.
    Row& sessionChain = columns.sessionChain()[row];
    Row& speakerChain = columns.speakerChain()[row];
    sessionChain = next.sessions.newest[columns.session()[row]];
    speakerChain = next.speakers.newest[columns.speaker()[row]];
    chain(next.sessions, columns.session()[row], row);
    chain(next.speakers, columns.speaker()[row], row);
  }
  next.rows += static_cast<std::uint32_t>(batch.count);
  next.liveRows += static_cast<std::uint32_t>(batch.count);
}

}  // namespace ontomem
