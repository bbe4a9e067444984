#include "ontomem/dense.hpp"

#include <algorithm>
#include <limits>

namespace ontomem {

void scoreDense(const Snapshot& snapshot, const Visibility& visibility, kernels::Residency residency,
                const float* const* queries, std::size_t viewCount, const ScorePrior& prior, float* scores,
                std::size_t scoreStride, DenseView* views) {
  const kernels::Kernels& kernel = kernels::active();
  const VectorStore& vectors = snapshot.vectors;
  kernels::ScoreStats total[kMaxViews] = {};
  for (auto& stats : total) stats.max = -std::numeric_limits<float>::infinity();

  for (const VectorBlock& block : vectors.blocks()) {
    if (block.firstRow >= snapshot.rows) break;
    kernels::ScoreStats stats[kMaxViews];
    const std::uint64_t* const excluded =
        visibility.excluded ? visibility.excluded + block.firstRow / 64 : nullptr;
    float* const out = scores + block.firstRow;
    switch (vectors.scanFormat(snapshot.rows)) {
      case VectorFormat::f32:
        kernel.scoresF32(vectors.f32Rows(block, snapshot.rows, residency), queries, viewCount, excluded, out,
                         scoreStride, stats);
        break;
      case VectorFormat::bf16:
        kernel.scoresBf16(vectors.bf16Rows(block, snapshot.rows, residency), queries, viewCount, excluded, out,
                          scoreStride, stats);
        break;
      case VectorFormat::int8:
        kernel.scoresInt8(vectors.int8Rows(block, snapshot.rows, residency), queries, viewCount, excluded, out,
                          scoreStride, stats);
        break;
    }
    for (std::size_t view = 0; view < viewCount; ++view) {
      total[view].sum += stats[view].sum;
      total[view].sumSquares += stats[view].sumSquares;
      total[view].count += stats[view].count;
      total[view].max = std::max(total[view].max, stats[view].max);
    }
  }
  for (std::size_t view = 0; view < viewCount; ++view) {
    views[view].scores = scores + view * scoreStride;
    views[view].best = total[view].max;
    views[view].norm = normalise(total[view].sum, total[view].sumSquares, total[view].count, prior);
  }
}

float exactScore(const Snapshot& snapshot, Row row, const float* query) noexcept {
  const VectorBlock& block = snapshot.vectors.blockOf(row);
  const kernels::F32Rows rows = snapshot.vectors.f32Rows(block, snapshot.rows);
  return kernels::active().dot(rows.data + (row - block.firstRow) * rows.stride, query, rows.dimension);
}

}  // namespace ontomem
