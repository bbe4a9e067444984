// One scope's memory: a published snapshot and the single writer that replaces it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>

#include "ontomem/snapshot.hpp"
#include "ontomem/status.hpp"

namespace ontomem {

/// Turns to append; all arrays are the caller's. Shapes: vectors [count][dimension], termOffsets
/// [count + 1], terms and termCounts [terms of the batch], others [count].
struct RowBatch {
  std::size_t count = 0;
  std::span<const float> vectors;
  std::span<const double> atMs;
  std::span<const std::uint32_t> session;
  std::span<const std::uint32_t> speaker;
  /// Row of the turn before in its session, below the new row's own number; kNoRow when none. Empty: the
  /// live row appended last in the same session.
  std::span<const Row> previous;
  std::span<const std::uint32_t> flags;
  std::span<const std::uint32_t> termOffsets;
  /// 64-bit term hashes as pairs of words, low word first.
  std::span<const std::uint32_t> terms;
  std::span<const std::uint16_t> termCounts;
  std::span<const std::uint32_t> length;
  /// The store's numbers of the turns, ascending, above all earlier ones; empty: they count on.
  std::span<const std::uint32_t> stored = {};
  /// [terms] place in the batch of the turn that each term is of; the terms are then sorted by hash, then
  /// place, and termOffsets is empty.
  std::span<const std::uint32_t> termRows = {};
};

/// One step of a shard after its store, both ends told, so that a thread that comes too late changes nothing.
struct FollowStep {
  Position from;
  Position to;
  /// Store's numbers of turns forgotten between the two; unknown ones are ignored.
  std::span<const std::uint32_t> forgotten;
  /// Rows the store has: what a first load makes room for.
  std::size_t expectedRows = 0;
};

/// Edges to append; all arrays [count].
struct EdgeBatch {
  std::size_t count = 0;
  std::span<const Node> source;
  std::span<const Node> target;
  std::span<const std::uint16_t> type;
  std::span<const float> weight;
  std::span<const double> fromMs;
  std::span<const double> toMs;
  std::span<const Row> evidence;
};

/// Reads go through `snapshot()` under a Pin. Writes are serialised by a mutex; each one is all or
/// nothing: on any status but ok, and on std::bad_alloc, nothing has changed for any reader.
class Shard final : public Reclaimable {
 public:
  /// `above` is the account that the shard's bytes count for as well; none when null.
  Shard(std::size_t dimension, VectorFormat format, std::shared_ptr<MemoryAccount> above = nullptr);
  ~Shard() override;

  const Snapshot& snapshot() const noexcept { return *current_.load(std::memory_order_seq_cst); }
  std::size_t bytes() const noexcept { return account_->bytes(); }

  /// Appends turns and tells the first one's row. NaN and infinite vectors or times are refused.
  /// Amortised O(batch) for vectors, O(terms log terms) for postings.
  Outcome appendRows(const RowBatch& batch, Row& firstRow);

  /// Forgets, then appends, then stands at `step.to`, all in one publication; `followed` is false, and
  /// nothing has changed, when the shard does not stand at `step.from` or another thread is writing it.
  Outcome follow(const FollowStep& step, const RowBatch& batch, bool& followed);

  /// Appends edges and tells the first one's number. Types below edge_type::firstStored are refused.
  Outcome appendEdges(const EdgeBatch& batch, std::uint32_t& firstEdge);

  /// Replaces weights (finite, >= 0). O(edges): the records are copied once a call, so batch them.
  Outcome setEdgeWeights(std::span<const std::uint32_t> edges, std::span<const float> weights);
  /// Ends validity at toMs (not NaN). O(edges).
  Outcome closeEdges(std::span<const std::uint32_t> edges, std::span<const double> toMs);
  /// Replaces the rows' profile fit (in [0, 1]). O(rows).
  Outcome setProfile(std::span<const Row> rows, std::span<const float> values);

  /// Forgets rows: no call returns them or counts them any more, and the turn after one follows the turn
  /// before it, as if it had never been appended. Memory is kept until `compact`. O(rows of the shard).
  Outcome tombstoneRows(std::span<const Row> rows);

  /// Drops forgotten rows with the edges that touch or cite them, and renumbers. rowMap [rows] and
  /// edgeMap [edges] receive the new numbers, 0xffffffff for what is gone. O(shard).
  Outcome compact(std::span<Row> rowMap, std::span<std::uint32_t> edgeMap);

  /// Whether enough is forgotten for `compactIfDue` to act; see there.
  static bool isCompactionDue(const Snapshot& snapshot) noexcept {
    const std::size_t forgotten = snapshot.rows - snapshot.liveRows;
    return forgotten >= kLeastForgotten && forgotten * kForgottenShare >= snapshot.rows;
  }

  /// Compacts when at least 64 rows and a quarter of all are forgotten: the copy is then paid for by the
  /// rows forgotten since the one before, and at most a third of the memory of the live rows is idle. The
  /// store's numbers stay what they were; row and edge numbers change (Snapshot::layout).
  Outcome compactIfDue();

 private:
  static constexpr std::size_t kLeastForgotten = 64;
  static constexpr std::size_t kForgottenShare = 4;

  std::unique_ptr<Snapshot> draft() const;
  void publish(std::unique_ptr<Snapshot> next) noexcept;

  Outcome validate(const RowBatch& batch, const Snapshot& now) const;
  Outcome validate(const EdgeBatch& batch, const Snapshot& now) const;
  /// Appends a valid batch to `next`. Throws std::bad_alloc; `next` is then to be thrown away.
  Outcome extend(Snapshot& next, const RowBatch& batch, std::size_t expectedRows);
  void reserveRows(Snapshot& next, std::size_t extra) const;
  void writeRows(Snapshot& next, const RowBatch& batch) const noexcept;
  /// Marks rows of `next` as forgotten and closes the gaps. Throws std::bad_alloc.
  void forget(Snapshot& next, std::span<const Row> rows) const;
  std::unique_ptr<Snapshot> compacted(std::span<Row> rowMap, std::span<std::uint32_t> edgeMap) const;

  /// Finds or adds ordinals for the caller's numbers.
  struct GroupIndex {
    std::unordered_map<std::uint32_t, std::uint32_t> ordinals;

    void add(GroupTable& table, std::span<const std::uint32_t> numbers,
             const std::shared_ptr<MemoryAccount>& account);
    void forgetFrom(std::size_t ordinal);
  };

  std::shared_ptr<MemoryAccount> account_;
  std::atomic<const Snapshot*> current_;
  std::mutex writer_;
  GroupIndex sessionIndex_;
  GroupIndex speakerIndex_;
};

}  // namespace ontomem
