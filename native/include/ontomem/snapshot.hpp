// One immutable state of a shard: what a pinned reader sees.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "ontomem/edge.hpp"
#include "ontomem/epoch.hpp"
#include "ontomem/row_columns.hpp"
#include "ontomem/run_index.hpp"
#include "ontomem/vector_store.hpp"

namespace ontomem {

/// A term in a turn. The turn's length is carried along, so that BM25 reads no other column.
struct Posting {
  Row row;
  std::uint16_t count;
  std::uint16_t length;
};

using Postings = RunIndex<std::uint64_t, Posting>;

/// The caller's session or speaker numbers, in order of first appearance, and each one's newest row.
struct GroupTable {
  AppendArray<std::uint32_t> numbers;
  AppendArray<Row> newest;

  static constexpr std::uint32_t kNone = 0xffffffff;

  /// Ordinal of the caller's number; kNone when no row has it. O(groups).
  std::uint32_t ordinalOf(std::uint32_t number) const noexcept {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] == number) return static_cast<std::uint32_t>(i);
    }
    return kNone;
  }

  /// The newest row of a group among the first `rows`; `chain` links each row to the one before it in
  /// its group. A writer may be appending: rows it has linked already are skipped.
  Row newestBelow(std::uint32_t ordinal, const Row* chain, std::size_t rows) const noexcept {
    Row row = std::atomic_ref<Row>(const_cast<Row&>(newest[ordinal])).load(std::memory_order_acquire);
    while (row != kNoRow && row >= rows) row = chain[row];
    return row;
  }
};

/// How far a shard has followed the store: rows below `nextStored` and the first `changes` changes are in it.
struct Position {
  std::uint32_t nextStored = 0;
  std::uint32_t changes = 0;

  bool operator==(const Position&) const = default;
};

struct Snapshot final : Reclaimable {
  Position position;
  std::uint32_t rows = 0;
  std::uint32_t liveRows = 0;
  /// Tokens of the live rows.
  std::uint64_t liveLength = 0;
  /// Of the live rows.
  double oldestMs = 0;
  double newestMs = 0;
  /// Grows when compaction renumbers rows and edges.
  std::uint32_t layout = 0;

  RowColumns columns;
  VectorStore vectors;
  Postings postings;
  GroupTable sessions;
  GroupTable speakers;
  /// One bit a row, set = forgotten; absent while nothing is. As long as the columns' capacity.
  SharedArray<std::uint64_t> tombstones;
  /// Fit to the user's profile, in [0, 1]; absent = 0 everywhere. As long as the columns' capacity.
  SharedArray<float> profile;

  AppendArray<Edge> edges;
  Adjacency adjacency;

  bool isLive(Row row) const noexcept {
    return !tombstones || (tombstones[row / 64] >> (row % 64) & 1) == 0;
  }

  /// The row of the store's number; kNoRow when there is none. O(log rows).
  Row rowOfStored(std::uint32_t number) const noexcept {
    const std::uint32_t* const first = columns.stored();
    const std::uint32_t* const found = std::lower_bound(first, first + rows, number);
    return found != first + rows && *found == number ? static_cast<Row>(found - first) : kNoRow;
  }
};

/// Words of a bitset over `rows` rows.
constexpr std::size_t bitsetWords(std::size_t rows) { return (rows + 63) / 64; }

}  // namespace ontomem
