// Which rows a recall can see, and which of those it may return.
#pragma once

#include <cstdint>
#include <span>

#include "ontomem/scratch.hpp"
#include "ontomem/snapshot.hpp"

namespace ontomem {

/// The rows that exist for a recall: live, and not after its `asOf`. Statistics, neighbours and the graph
/// know no others, so a recall as of some time answers as it would have answered then.
struct Visibility {
  /// One bit a row, set = invisible; null = all rows are visible.
  const std::uint64_t* excluded;
  std::uint32_t visible;
  /// Mean tokens of the visible rows.
  double meanLength;

  bool sees(Row row) const noexcept { return !excluded || (excluded[row / 64] >> (row % 64) & 1) == 0; }
};

/// What the caller wants returned. A filter does not change any turn's score.
struct RowFilter {
  /// fromMs <= at < toMs.
  double fromMs;
  double toMs;
  /// Caller's numbers, or -1.
  double session;
  double speaker;
  /// One bit a row (bit i % 32 of word i / 32), set = wanted; empty = all. Rows beyond it are not wanted.
  std::span<const std::uint32_t> mask;
};

/// Resolves `asOfMs` against a snapshot. O(1) when nothing is invisible but forgotten rows, else O(rows).
/// `words` holds the bits while the result is in use. Throws std::bad_alloc.
Visibility resolveVisibility(const Snapshot& snapshot, double asOfMs, Scratch<std::uint64_t>& words);

/// Bits as in Visibility::excluded of the rows that may not be returned: invisible or filtered out.
/// O(1) without a filter, else O(rows). Throws std::bad_alloc.
const std::uint64_t* resolveFilter(const Snapshot& snapshot, const Visibility& visibility,
                                   const RowFilter& filter, Scratch<std::uint64_t>& words);

/// Rows of `rows` that have no bit in `bits`, null = none has. O(rows / 64).
std::uint32_t countUnmarked(const std::uint64_t* bits, std::size_t rows) noexcept;

}  // namespace ontomem
