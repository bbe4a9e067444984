// Scores of all rows for one to four queries in one pass, with their statistics.
#pragma once

#include "flat-inl.hpp"

namespace ontomem::kernels {
namespace {

/// kRows rows against kQueries queries: a row's line is loaded once and meets every query. Sums of row r
/// and query q go to acc[8 * q + r]. The rows that follow are prefetched: with
/// several products a line there is time for it (10k x 384 f32: 650 us without, 400 with).
template <class Dot, std::size_t kRows, std::size_t kQueries>
ONTOMEM_INLINE void rowsTimesQueries(const typename Dot::Element* row, std::size_t stride,
                                     const PreparedQuery* queries, std::size_t padded,
                                     typename Dot::Acc* acc) {
  constexpr std::size_t stepBytes = Dot::kStep * sizeof(typename Dot::Element);
  typename Dot::Acc local[kQueries][kRows];
  const auto everyQuery = std::make_index_sequence<kQueries>{};
  const auto everyRow = std::make_index_sequence<kRows>{};
  forEach(everyQuery, [&](auto q) ONTOMEM_INLINE_LAMBDA {
    forEach(everyRow, [&](auto r) ONTOMEM_INLINE_LAMBDA { local[q][r] = Dot::zero(); });
  });
  const char* next = reinterpret_cast<const char*>(row + kRows * stride);
  for (std::size_t i = 0; i < padded; i += Dot::kStep, next += kRows * stepBytes) {
    for (std::size_t ahead = 0; ahead < kRows * stepBytes; ahead += kLineBytes) prefetchLine(next + ahead);
    forEach(everyQuery, [&](auto q) ONTOMEM_INLINE_LAMBDA {
      const typename Dot::Query step = Dot::load(queries[q], i);
      forEach(everyRow, [&](auto r) ONTOMEM_INLINE_LAMBDA {
        local[q][r] = Dot::accumulate(local[q][r], step, row + i + r * stride);
      });
    });
  }
  forEach(everyQuery, [&](auto q) ONTOMEM_INLINE_LAMBDA {
    forEach(everyRow, [&](auto r) ONTOMEM_INLINE_LAMBDA { acc[8 * q + r] = local[q][r]; });
  });
}

/// Bytes ahead that rows of f32 and bf16 are fetched: their products leave time (60k x 384 bf16: 2.8 ms
/// without, 2.2 with). Int8 rows come faster without (0.75 ms, against 0.88).
inline constexpr std::size_t kStrictAheadBytes = 2048;

/// One row against kQueries queries, two accumulators each.
template <class Dot, std::size_t kQueries>
ONTOMEM_INLINE void rowTimesQueries(const typename Dot::Element* row, const PreparedQuery* queries,
                                    std::size_t padded, typename Dot::Acc* acc) {
  constexpr std::size_t step = Dot::kStep;
  typename Dot::Acc even[kQueries], odd[kQueries];
  const auto everyQuery = std::make_index_sequence<kQueries>{};
  forEach(everyQuery, [&](auto q) ONTOMEM_INLINE_LAMBDA { even[q] = odd[q] = Dot::zero(); });
  std::size_t i = 0;
  for (; i + 2 * step <= padded; i += 2 * step) {
    if constexpr (sizeof(typename Dot::Element) > 1) {
      prefetchLine(reinterpret_cast<const char*>(row + i) + kStrictAheadBytes);
    }
    forEach(everyQuery, [&](auto q) ONTOMEM_INLINE_LAMBDA {
      even[q] = Dot::accumulate(even[q], Dot::load(queries[q], i), row + i);
      odd[q] = Dot::accumulate(odd[q], Dot::load(queries[q], i + step), row + i + step);
    });
  }
  if (!kWholePairs<Dot> && i < padded) {
    forEach(everyQuery, [&](auto q) ONTOMEM_INLINE_LAMBDA {
      even[q] = Dot::accumulate(even[q], Dot::load(queries[q], i), row + i);
    });
  }
  forEach(everyQuery, [&](auto q) ONTOMEM_INLINE_LAMBDA { acc[8 * q] = Dot::add(even[q], odd[q]); });
}

template <class Simd, class Dot, std::size_t kQueries, std::size_t kRows>
void scanManyQueries(const typename Dot::Rows& rows, const PreparedQuery* queries, ScoreSink<Simd>* sinks) {
  static_assert(8 % kRows == 0);
  const std::size_t padded = paddedDimension(Dot::kFormat, rows.dimension);
  for (std::size_t first = 0; first < rows.count; first += 8) {
    typename Dot::Acc acc[kQueries][8];
    const std::size_t valid = rows.count - first < 8 ? rows.count - first : 8;
    const typename Dot::Element* row = rows.data + first * rows.stride;
    std::size_t i = 0;
    if constexpr (kRows > 1) {
      for (; i + kRows <= valid; i += kRows) {
        rowsTimesQueries<Dot, kRows, kQueries>(row + i * rows.stride, rows.stride, queries, padded, acc[0] + i);
      }
    }
    for (; i < valid; ++i) rowTimesQueries<Dot, kQueries>(row + i * rows.stride, queries, padded, acc[0] + i);
    for (; i < 8; ++i) {
      for (std::size_t q = 0; q < kQueries; ++q) acc[q][i] = Dot::zero();
    }
    for (std::size_t q = 0; q < kQueries; ++q) {
      sinks[q].take(Dot::scores(acc[q], rows, first, valid, queries[q].scale), first, valid);
    }
  }
}

/// Up to this many bytes several rows meet all queries at once; beyond, and for cold rows, one after the
/// other: 60k x 384 f32 take 4.6 ms, against 7.1 ms with four rows interleaved.
inline constexpr std::size_t kManyRowBytes = 16 * 1024 * 1024;

template <class Simd, class Dot, std::size_t kQueries>
void scanManyQueries(const typename Dot::Rows& rows, const PreparedQuery* queries, ScoreSink<Simd>* sinks) {
  const std::size_t bytes = rows.count * rows.stride * sizeof(typename Dot::Element);
  if (rows.residency == Residency::cold || bytes > kManyRowBytes) {
    scanManyQueries<Simd, Dot, kQueries, 1>(rows, queries, sinks);
  } else {
    scanManyQueries<Simd, Dot, kQueries, Simd::kManyQueryRows>(rows, queries, sinks);
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
    case 1: scan<Dot>(rows, prepared[0], sinks[0]); break;
    case 2: scanManyQueries<Simd, Dot, 2>(rows, prepared, sinks); break;
    case 3: scanManyQueries<Simd, Dot, 3>(rows, prepared, sinks); break;
    case 4: scanManyQueries<Simd, Dot, 4>(rows, prepared, sinks); break;
    default: break;
  }
  for (std::size_t q = 0; q < queryCount; ++q) stats[q] = sinks[q].finish();
}

}  // namespace
}  // namespace ontomem::kernels
