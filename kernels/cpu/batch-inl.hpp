// Top-k of up to 32 queries over the same rows: a matrix product in registers with a fused threshold.
//
// Queries lie packed as 32-bit words [step][32]: one f32, two bf16 or four int8 of each query a step.
// A register tile holds kRows x kVectors accumulators; each row word is broadcast against the queries.
#pragma once

#include "best_hits-inl.hpp"
#include "flat-inl.hpp"

namespace ontomem::kernels {
namespace {

/// acc[row][vector] += row words x packed words, over `steps` steps. `columns` points at the first of
/// the tile's columns in the packed words, rows are `stride` words apart. With kPrefetch the rows that
/// follow the tile are fetched in step with it.
template <class Batch, std::size_t kRows, std::size_t kVectors, bool kPrefetch>
ONTOMEM_INLINE void multiplyTile(const typename Batch::Word* row, std::size_t stride,
                                 const typename Batch::Word* columns, std::size_t steps,
                                 typename Batch::Acc (&acc)[kRows][kVectors]) {
  typename Batch::Acc local[kRows][kVectors];
  constexpr auto everyRow = std::make_index_sequence<kRows>{};
  constexpr auto everyVector = std::make_index_sequence<kVectors>{};

  forEach(everyRow, [&](auto r) ONTOMEM_INLINE_LAMBDA {
    forEach(everyVector, [&](auto v) ONTOMEM_INLINE_LAMBDA { local[r][v] = acc[r][v]; });
  });
  const char* next = reinterpret_cast<const char*>(row + kRows * stride);
  for (std::size_t step = 0; step < steps; ++step, columns += kMaxBatch, next += kRows * sizeof(*row)) {
    if constexpr (kPrefetch) prefetchLine(next);
    typename Batch::Query query[kVectors];
    forEach(everyVector, [&](auto v) ONTOMEM_INLINE_LAMBDA { query[v] = Batch::load(columns + v * Batch::kLanes); });
    forEach(everyRow, [&](auto r) ONTOMEM_INLINE_LAMBDA {
      const typename Batch::Query word = Batch::broadcast(row + r * stride + step);
      forEach(everyVector, [&](auto v) ONTOMEM_INLINE_LAMBDA {
        local[r][v] = Batch::accumulate(local[r][v], query[v], word);
      });
    });
  }
  forEach(everyRow, [&](auto r) ONTOMEM_INLINE_LAMBDA {
    forEach(everyVector, [&](auto v) ONTOMEM_INLINE_LAMBDA { acc[r][v] = local[r][v]; });
  });
}

/// The k best of each query of a batch, and the thresholds that a tile is compared with.
template <class Simd>
struct BatchSink {
  BestHits<Simd> best[kMaxBatch];
  alignas(64) float thresholds[kMaxBatch];
  const std::uint64_t* excluded;

  BatchSink(const PackedQueries& queries, const TopkOptions& options, Hit* hits) : excluded(options.excluded) {
    for (std::size_t q = 0; q < kMaxBatch; ++q) {
      // Lanes without a query must never pass.
      thresholds[q] = q < queries.count ? -kInfinity : kInfinity;
      if (q < queries.count) best[q] = BestHits<Simd>(hits + q * options.k, options.k);
    }
  }

  ONTOMEM_INLINE void take(typename Simd::Float scores, std::size_t column, std::size_t row) {
    const unsigned passing = Simd::atLeast(scores, thresholds + column);
    if (passing != 0) [[unlikely]] offer(scores, passing, column, row);
  }

  void offer(typename Simd::Float scores, unsigned passing, std::size_t column, std::size_t row) {
    if (excluded != nullptr && (excluded[row / 64] >> (row % 64) & 1u) != 0) return;
    float lanes[Simd::kLanes];
    Simd::store(lanes, scores);
    for (std::size_t lane = 0; passing >> lane != 0; ++lane) {
      if ((passing >> lane & 1u) == 0) continue;
      best[column + lane].offer(lanes[lane], static_cast<std::uint32_t>(row));
      thresholds[column + lane] = best[column + lane].threshold();
    }
  }
};

/// One tile of kRows rows from `first`; rows before `report` were reported by the tile before.
template <class Simd, class Batch, std::size_t kRows, std::size_t kVectors>
void searchTile(const typename Batch::Rows& rows, const PackedQueries& queries, std::size_t first,
                std::size_t report, std::size_t columnCount, BatchSink<Simd>& sink) {
  const std::size_t steps = paddedDimension(Batch::kFormat, rows.dimension) / Batch::kStep;
  typename Batch::template Block<kRows> block(rows, first);
  for (std::size_t column = 0; column < columnCount; column += kVectors * Simd::kLanes) {
    typename Batch::Acc acc[kRows][kVectors];
    for (std::size_t r = 0; r < kRows; ++r) {
      for (std::size_t v = 0; v < kVectors; ++v) acc[r][v] = Batch::zero();
    }
    const auto* words = static_cast<const typename Batch::Word*>(queries.data) + column;
    multiplyTile<Batch, kRows, kVectors, Batch::kPrefetch>(block.words(), block.stride(), words, steps, acc);
    for (std::size_t r = report - first; r < kRows; ++r) {
      for (std::size_t v = 0; v < kVectors; ++v) {
        const std::size_t at = column + v * Simd::kLanes;
        sink.take(Batch::scores(acc[r][v], rows, first + r, queries.scales + at), at, first + r);
      }
    }
  }
}

template <class Simd, class Batch, std::size_t kVectors>
void searchAllTiles(const typename Batch::Rows& rows, const PackedQueries& queries, std::size_t columnCount,
                    BatchSink<Simd>& sink) {
  constexpr std::size_t tile = Simd::kBatchRows;
  std::size_t first = 0;
  for (; first + tile <= rows.count; first += tile) {
    searchTile<Simd, Batch, tile, kVectors>(rows, queries, first, first, columnCount, sink);
  }
  if (first == rows.count) return;
  if (rows.count >= tile) {
    // The last rows ride in a full tile that overlaps the one before: a narrow tile is latency bound.
    searchTile<Simd, Batch, tile, kVectors>(rows, queries, rows.count - tile, first, columnCount, sink);
    return;
  }
  for (; first < rows.count; ++first) {
    searchTile<Simd, Batch, 1, kVectors>(rows, queries, first, first, columnCount, sink);
  }
}

template <class Simd, class Batch>
void topkBatch(const typename Batch::Rows& rows, const PackedQueries& queries, const TopkOptions& options,
               Hit* hits, std::size_t* counts) {
  BatchSink<Simd> sink(queries, options, hits);
  if (queries.count <= Simd::kLanes) {
    searchAllTiles<Simd, Batch, 1>(rows, queries, queries.count, sink);
  } else {
    searchAllTiles<Simd, Batch, Simd::kBatchVectors>(rows, queries, queries.count, sink);
  }
  for (std::size_t q = 0; q < queries.count; ++q) counts[q] = sink.best[q].finish();
}

/// Packs prepared queries: word `step` of query q goes to [step][q].
template <class Batch>
void packQueries(const float* const* queries, std::size_t count, std::size_t dimension, PackedQueries& packed) {
  using Word = typename Batch::Word;
  const std::size_t steps = paddedDimension(Batch::kFormat, dimension) / Batch::kStep;
  Word* words = static_cast<Word*>(packed.data);
  packed.count = count;
  packed.dimension = dimension;
  std::memset(words, 0, steps * kMaxBatch * sizeof(Word));
  for (std::size_t q = 0; q < kMaxBatch; ++q) packed.scales[q] = 1.0f;
  // A few queries at a time: one by one, every word written is a cache line touched.
  constexpr std::size_t kTogether = 4;
  PreparedQuery prepared[kTogether];
  for (std::size_t first = 0; first < count; first += kTogether) {
    const char* sources[kTogether];
    for (std::size_t q = 0; q < kTogether; ++q) {
      // The last group is filled up with copies of its last query, which `count` lanes never report.
      const std::size_t query = first + q < count ? first + q : count - 1;
      sources[q] = Batch::prepareWords(queries[query], dimension, prepared[q]);
      packed.scales[first + q] = prepared[q].scale;
    }
    for (std::size_t step = 0; step < steps; ++step) {
      for (std::size_t q = 0; q < kTogether; ++q) {
        std::memcpy(words + step * kMaxBatch + first + q, sources[q] + step * sizeof(Word), sizeof(Word));
      }
    }
  }
}

}  // namespace
}  // namespace ontomem::kernels
