// Choosing the candidates: every arm's best rows, so that no arm gates another.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "ontomem/fusion.hpp"
#include "ontomem/scratch.hpp"

namespace ontomem {

/// A row's place in an order, as one integer: higher score first, and of equal scores the higher row
/// (rows are appended in time order, so the newer turn).
using RankKey = std::uint64_t;

constexpr RankKey rankKey(float score, Row row) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(score + 0.0f);
  // Descending scores give descending keys: negative floats count backwards. +0 above made -0 into +0.
  const std::uint32_t ordered = (bits >> 31) != 0 ? ~bits : bits | 0x80000000u;
  return std::uint64_t{ordered} << 32 | row;
}

constexpr Row rowOf(RankKey key) noexcept { return static_cast<Row>(key); }

/// Working memory of one selection; `best` is its result.
struct Selection {
  std::vector<RankKey> best;
  /// Best score of each block of rows, in their order and then by size.
  std::vector<float> maxima;
  std::vector<float> ordered;
};

/// The best `k` rows by `scores` [rows] that exceed `floor`, best first, into `selection.best`; rows whose
/// bit is set in `excluded` (null = none) are left out. The k-th best block maximum bounds the k-th best
/// score from below, so that few rows are collected and no branch depends on a score.
/// O(rows + k log k) on average. Throws std::bad_alloc.
void selectBest(const Snapshot& snapshot, const std::uint64_t* excluded, const float* scores, std::size_t k,
                float floor, Selection& selection);

struct CandidateScratch {
  Selection selection;
  /// Candidates in no particular order.
  std::vector<Row> rows;
  /// Step of the expansion that reached the candidate, or kNoPath; beside `rows`.
  std::vector<std::uint32_t> steps;
  std::vector<std::pair<Row, std::uint32_t>> places;
  Scratch<std::uint64_t> taken;
};

/// The union of: the best by fused score for half of the `candidates`, the denseQuota best rows of each
/// view, the lexicalQuota best with a term of the query, the graphQuota best reached, then again the best
/// by fused score until there are `candidates`; none whose bit is set in `excluded`.
/// Throws std::bad_alloc.
void chooseCandidates(const Arms& arms, const RecallParameters& parameters, const std::uint64_t* excluded,
                      CandidateScratch& scratch);

}  // namespace ontomem
