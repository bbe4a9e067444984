// Choosing the candidates: every arm's best rows, so that no arm gates another.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "ontomem/fusion.hpp"
#include "ontomem/scratch.hpp"

namespace ontomem {

/// A row with what it is ordered by. Order everywhere: higher score, then newer turn, then higher row.
struct Ranked {
  float score;
  Row row;
  double atMs;
};

constexpr bool ranksBefore(const Ranked& left, const Ranked& right) noexcept {
  if (left.score != right.score) return left.score > right.score;
  if (left.atMs != right.atMs) return left.atMs > right.atMs;
  return left.row > right.row;
}

/// The best `k` rows by `scores` [rows] that exceed `floor`, best first, into `best`; rows whose bit is set
/// in `excluded` (null = none) are left out. O(rows + k log k log rows) on average. Throws std::bad_alloc.
void selectBest(const Snapshot& snapshot, const std::uint64_t* excluded, const float* scores, std::size_t k,
                float floor, std::vector<Ranked>& best);

struct CandidateScratch {
  std::vector<Ranked> best;
  /// Candidates in no particular order.
  std::vector<Row> rows;
  /// Step of the expansion that reached the candidate, or kNoPath; beside `rows`.
  std::vector<std::uint32_t> steps;
  std::vector<std::pair<Row, std::uint32_t>> places;
  Scratch<std::uint64_t> taken;
};

/// The union of: the denseQuota best rows of each view, the lexicalQuota best with a term of the query,
/// the graphQuota best reached, then the best by fused score until there are `candidates`; none whose bit
/// is set in `excluded`.
/// Throws std::bad_alloc.
void chooseCandidates(const Arms& arms, const RecallParameters& parameters, const std::uint64_t* excluded,
                      CandidateScratch& scratch);

}  // namespace ontomem
