// The dense arm: inner products of every row with up to four query vectors.
#pragma once

#include <cstdint>

#include "ontomem/normalisation.hpp"
#include "ontomem/visibility.hpp"

namespace ontomem {

inline constexpr std::size_t kMaxViews = kernels::kMaxScoreQueries;

/// One query vector's scores of all rows.
struct DenseView {
  /// [rows]; excluded rows are scored too.
  float* scores;
  float weight;
  float best;
  Normalisation norm;
};

/// Scores `viewCount` queries in one pass over the vectors. queries: viewCount pointers to [dimension]
/// floats. scores: viewCount arrays `scoreStride` apart, written to views[i].scores. int8 shards give
/// quantised scores; `exactScore` corrects the candidates. O(rows * dimension * viewCount).
void scoreDense(const Snapshot& snapshot, const Visibility& visibility, kernels::Residency residency,
                const float* const* queries, std::size_t viewCount, const ScorePrior& prior, float* scores,
                std::size_t scoreStride, DenseView* views);

/// The exact inner product of a row of a shard that keeps f32 rows.
float exactScore(const Snapshot& snapshot, Row row, const float* query) noexcept;

}  // namespace ontomem
