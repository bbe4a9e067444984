// Scores of all rows for one to four queries in one pass, with their statistics.
#pragma once

#include "flat-inl.hpp"

namespace ontomem::kernels {
namespace {

/// Two rows against kQueries queries: a row's line is loaded once and meets every query.
template <class Dot, std::size_t kQueries>
ONTOMEM_INLINE void twoRowsManyQueries(const typename Dot::Element* row, std::size_t stride,
                                       const PreparedQuery* queries, std::size_t padded,
                                       typename Dot::Acc (*acc)[8]) {
  typename Dot::Acc upper[kQueries], lower[kQueries];
  for (std::size_t q = 0; q < kQueries; ++q) upper[q] = lower[q] = Dot::zero();
  for (std::size_t i = 0; i < padded; i += Dot::kStep) {
    for (std::size_t q = 0; q < kQueries; ++q) {
      const typename Dot::Query step = Dot::load(queries[q], i);
      upper[q] = Dot::accumulate(upper[q], step, row + i);
      lower[q] = Dot::accumulate(lower[q], step, row + i + stride);
    }
  }
  for (std::size_t q = 0; q < kQueries; ++q) {
    acc[q][0] = upper[q];
    acc[q][1] = lower[q];
  }
}

template <class Simd, class Dot, std::size_t kQueries>
void scanManyQueries(const typename Dot::Rows& rows, const PreparedQuery* queries, ScoreSink<Simd>* sinks) {
  const std::size_t padded = paddedDimension(Dot::kFormat, rows.dimension);
  typename Dot::Acc acc[kQueries][8];
  for (std::size_t first = 0; first < rows.count; first += 8) {
    const std::size_t valid = rows.count - first < 8 ? rows.count - first : 8;
    const typename Dot::Element* row = rows.data + first * rows.stride;
    std::size_t i = 0;
    for (; i + 2 <= valid; i += 2) {
      typename Dot::Acc pair[kQueries][8];
      twoRowsManyQueries<Dot, kQueries>(row + i * rows.stride, rows.stride, queries, padded, pair);
      for (std::size_t q = 0; q < kQueries; ++q) acc[q][i] = pair[q][0], acc[q][i + 1] = pair[q][1];
    }
    for (; i < 8; ++i) {
      for (std::size_t q = 0; q < kQueries; ++q) {
        acc[q][i] = i < valid ? oneRow<Dot>(row + i * rows.stride, queries[q], padded) : Dot::zero();
      }
    }
    for (std::size_t q = 0; q < kQueries; ++q) {
      sinks[q].take(Dot::scores(acc[q], rows, first, valid, queries[q].scale), first, valid);
    }
  }
}

template <class Simd, class Dot>
void scores(const typename Dot::Rows& rows, const float* const* queries, std::size_t queryCount,
            const std::uint64_t* excluded, float* out, std::size_t scoreStride, ScoreStats* stats) {
  PreparedQuery prepared[kMaxScoreQueries];
  ScoreSink<Simd> sinks[kMaxScoreQueries];
  for (std::size_t q = 0; q < queryCount; ++q) {
    Dot::prepare(queries[q], rows.dimension, prepared[q]);
    sinks[q].scores = out + q * scoreStride;
    sinks[q].excluded = excluded;
  }
  switch (queryCount) {
    case 1: scan<Dot>(rows, prepared[0], Residency::automatic, sinks[0]); break;
    case 2: scanManyQueries<Simd, Dot, 2>(rows, prepared, sinks); break;
    case 3: scanManyQueries<Simd, Dot, 3>(rows, prepared, sinks); break;
    case 4: scanManyQueries<Simd, Dot, 4>(rows, prepared, sinks); break;
    default: break;
  }
  for (std::size_t q = 0; q < queryCount; ++q) stats[q] = sinks[q].finish();
}

}  // namespace
}  // namespace ontomem::kernels
