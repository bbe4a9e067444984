// One pass over all rows with one query: the row loops, and the top-k and all-scores sinks they feed.
#pragma once

#include "best_hits-inl.hpp"

#if defined(_MSC_VER) && defined(_M_X64)
#include <xmmintrin.h>
#endif

namespace ontomem::kernels {
namespace {

/// Matrices up to this many bytes lie in L2 and are read 8 rows a pass.
inline constexpr std::size_t kEightRowBytes = 768 * 1024;
/// Up to this many bytes, 4 rows a pass with the next four prefetched; beyond, strict row order.
inline constexpr std::size_t kFourRowBytes = 12 * 1024 * 1024;
/// Longer rows are read in strict order from L3 too: the hardware prefetcher gets going within a row
/// (f32 1024-d, 4 MB: .89 of the streaming read, against .75 with rows interleaved).
inline constexpr std::size_t kInterleavedRowBytes = 2048;

ONTOMEM_INLINE void prefetchLine(const void* address) {
#if defined(_MSC_VER)
#if defined(_M_X64)
  _mm_prefetch(static_cast<const char*>(address), _MM_HINT_T0);
#endif
#else
  __builtin_prefetch(address);
#endif
}

/// Bits of the eight rows from `first` (a multiple of 8) that may be reported.
ONTOMEM_INLINE unsigned allowedRows(const std::uint64_t* excluded, std::size_t first, std::size_t valid) {
  unsigned allowed = 0xffu >> (8 - valid);
  if (excluded != nullptr) allowed &= ~static_cast<unsigned>(excluded[first / 64] >> (first % 64));
  return allowed;
}

/// Feeds eight scores at a time to the k best.
template <class Simd, class Best>
struct TopkSink {
  Best& best;
  const std::uint64_t* excluded;

  ONTOMEM_INLINE void take(typename Simd::Eight scores, std::size_t first, std::size_t valid) {
    const unsigned passing = Simd::eightAtLeast(scores, best.threshold());
    if (passing != 0) [[unlikely]] {
      offer(scores, first, passing & allowedRows(excluded, first, valid));
    }
  }

  void offer(typename Simd::Eight scores, std::size_t first, unsigned passing) {
    float lanes[8];
    Simd::eightStore(lanes, scores);
    for (unsigned i = 0; passing >> i != 0; ++i) {
      if ((passing >> i & 1u) != 0) best.offer(lanes[i], static_cast<std::uint32_t>(first + i));
    }
  }
};

/// Writes every score and keeps the running statistics.
template <class Simd>
struct ScoreSink {
  using Eight = typename Simd::Eight;
  float* scores;
  const std::uint64_t* excluded;
  // Lanes are added into doubles every kFlush groups, so that long f32 sums do not drift.
  static constexpr std::size_t kFlush = 128;
  Eight sum = Simd::eightZero();
  Eight sumSquares = Simd::eightZero();
  Eight max = Simd::eightBroadcast(-kInfinity);
  std::size_t pending = 0;
  ScoreStats stats{0.0, 0.0, -kInfinity, 0};

  ONTOMEM_INLINE void take(Eight eight, std::size_t first, std::size_t valid) {
    const unsigned allowed = allowedRows(excluded, first, valid);
    if (allowed == 0xffu) [[likely]] {
      Simd::eightStore(scores + first, eight);
      sum = Simd::eightAdd(sum, eight);
      sumSquares = Simd::eightFma(eight, eight, sumSquares);
      max = Simd::eightMax(max, eight);
      stats.count += 8;
      if (++pending == kFlush) flush();
    } else {
      takeSome(eight, first, valid, allowed);
    }
  }

  void takeSome(Eight eight, std::size_t first, std::size_t valid, unsigned allowed) {
    float lanes[8];
    Simd::eightStore(lanes, eight);
    for (std::size_t i = 0; i < valid; ++i) {
      scores[first + i] = lanes[i];
      if ((allowed >> i & 1u) == 0) continue;
      stats.sum += lanes[i];
      stats.sumSquares += static_cast<double>(lanes[i]) * lanes[i];
      stats.max = stats.max > lanes[i] ? stats.max : lanes[i];
      ++stats.count;
    }
  }

  void flush() {
    float sums[8], squares[8];
    Simd::eightStore(sums, sum);
    Simd::eightStore(squares, sumSquares);
    for (int i = 0; i < 8; ++i) {
      stats.sum += sums[i];
      stats.sumSquares += squares[i];
    }
    sum = sumSquares = Simd::eightZero();
    pending = 0;
  }

  ScoreStats finish() {
    flush();
    float lanes[8];
    Simd::eightStore(lanes, max);
    for (const float lane : lanes) stats.max = stats.max > lane ? stats.max : lane;
    return stats;
  }
};

/// One row, four independent accumulators: rows are read in address order.
template <class Dot>
ONTOMEM_INLINE typename Dot::Acc oneRow(const typename Dot::Element* row, const PreparedQuery& query,
                                        std::size_t padded) {
  constexpr std::size_t step = Dot::kStep;
  typename Dot::Acc a = Dot::zero(), b = Dot::zero(), c = Dot::zero(), d = Dot::zero();
  std::size_t i = 0;
  for (; i + 4 * step <= padded; i += 4 * step) {
    a = Dot::accumulate(a, Dot::load(query, i), row + i);
    b = Dot::accumulate(b, Dot::load(query, i + step), row + i + step);
    c = Dot::accumulate(c, Dot::load(query, i + 2 * step), row + i + 2 * step);
    d = Dot::accumulate(d, Dot::load(query, i + 3 * step), row + i + 3 * step);
  }
  for (; i < padded; i += step) a = Dot::accumulate(a, Dot::load(query, i), row + i);
  return Dot::add(Dot::add(a, b), Dot::add(c, d));
}

/// Whether a padded row, whole lines, is also whole pairs of steps.
template <class Dot>
inline constexpr bool kWholePairs = kLineBytes % (2 * Dot::kStep * sizeof(typename Dot::Element)) == 0;

/// Four rows interleaved, two accumulators each, while the four rows after them are fetched in address
/// order.
template <class Dot>
ONTOMEM_INLINE void fourRows(const typename Dot::Element* row, std::size_t stride, const PreparedQuery& query,
                             std::size_t padded, typename Dot::Acc* acc) {
  constexpr std::size_t step = Dot::kStep;
  constexpr std::size_t pairBytes = 2 * step * sizeof(typename Dot::Element);
  typename Dot::Acc a = Dot::zero(), b = Dot::zero(), c = Dot::zero(), d = Dot::zero();
  typename Dot::Acc e = Dot::zero(), f = Dot::zero(), g = Dot::zero(), h = Dot::zero();
  const char* next = reinterpret_cast<const char*>(row + 4 * stride);
  std::size_t i = 0;
  for (; i + 2 * step <= padded; i += 2 * step) {
    for (std::size_t ahead = 0; ahead < 4 * pairBytes; ahead += kLineBytes) prefetchLine(next + ahead);
    next += 4 * pairBytes;
    const typename Dot::Query first = Dot::load(query, i), second = Dot::load(query, i + step);
    const typename Dot::Element* at = row + i;
    a = Dot::accumulate(a, first, at);
    e = Dot::accumulate(e, second, at + step);
    b = Dot::accumulate(b, first, at + stride);
    f = Dot::accumulate(f, second, at + stride + step);
    c = Dot::accumulate(c, first, at + 2 * stride);
    g = Dot::accumulate(g, second, at + 2 * stride + step);
    d = Dot::accumulate(d, first, at + 3 * stride);
    h = Dot::accumulate(h, second, at + 3 * stride + step);
  }
  if (!kWholePairs<Dot> && i < padded) {
    const typename Dot::Query last = Dot::load(query, i);
    a = Dot::accumulate(a, last, row + i);
    b = Dot::accumulate(b, last, row + i + stride);
    c = Dot::accumulate(c, last, row + i + 2 * stride);
    d = Dot::accumulate(d, last, row + i + 3 * stride);
  }
  acc[0] = Dot::add(a, e), acc[1] = Dot::add(b, f), acc[2] = Dot::add(c, g), acc[3] = Dot::add(d, h);
}

/// Eight rows interleaved: each step of the query is loaded once for eight rows.
template <class Dot>
ONTOMEM_INLINE void eightRows(const typename Dot::Element* row, std::size_t stride, const PreparedQuery& query,
                              std::size_t padded, typename Dot::Acc* acc) {
  typename Dot::Acc a = Dot::zero(), b = Dot::zero(), c = Dot::zero(), d = Dot::zero();
  typename Dot::Acc e = Dot::zero(), f = Dot::zero(), g = Dot::zero(), h = Dot::zero();
  const typename Dot::Element* lower = row + 4 * stride;
  for (std::size_t i = 0; i < padded; i += Dot::kStep) {
    const typename Dot::Query q = Dot::load(query, i);
    a = Dot::accumulate(a, q, row + i);
    b = Dot::accumulate(b, q, row + i + stride);
    c = Dot::accumulate(c, q, row + i + 2 * stride);
    d = Dot::accumulate(d, q, row + i + 3 * stride);
    e = Dot::accumulate(e, q, lower + i);
    f = Dot::accumulate(f, q, lower + i + stride);
    g = Dot::accumulate(g, q, lower + i + 2 * stride);
    h = Dot::accumulate(h, q, lower + i + 3 * stride);
  }
  acc[0] = a, acc[1] = b, acc[2] = c, acc[3] = d;
  acc[4] = e, acc[5] = f, acc[6] = g, acc[7] = h;
}

enum class RowOrder { eight, four, strict };

ONTOMEM_INLINE RowOrder rowOrder(std::size_t bytes, std::size_t rowBytes, Residency residency) {
  if (residency == Residency::cold) return RowOrder::strict;
  if (bytes <= kEightRowBytes) return RowOrder::eight;
  return bytes <= kFourRowBytes && rowBytes <= kInterleavedRowBytes ? RowOrder::four : RowOrder::strict;
}

template <class Dot, RowOrder kOrder, class Sink>
void scanInOrder(const typename Dot::Rows& rows, const PreparedQuery& query, Sink& sink) {
  const std::size_t padded = paddedDimension(Dot::kFormat, rows.dimension);
  const std::size_t stride = rows.stride;
  typename Dot::Acc acc[8];
  std::size_t first = 0;
  for (; first + 8 <= rows.count; first += 8) {
    const typename Dot::Element* row = rows.data + first * stride;
    if constexpr (kOrder == RowOrder::eight) {
      eightRows<Dot>(row, stride, query, padded, acc);
    } else if constexpr (kOrder == RowOrder::four) {
      fourRows<Dot>(row, stride, query, padded, acc);
      fourRows<Dot>(row + 4 * stride, stride, query, padded, acc + 4);
    } else {
      for (int i = 0; i < 8; ++i) acc[i] = oneRow<Dot>(row + i * stride, query, padded);
    }
    sink.take(Dot::scores(acc, rows, first, 8, query.scale), first, 8);
  }
  if (const std::size_t valid = rows.count - first; valid != 0) {
    for (std::size_t i = 0; i < 8; ++i) {
      acc[i] = i < valid ? oneRow<Dot>(rows.data + (first + i) * stride, query, padded) : Dot::zero();
    }
    sink.take(Dot::scores(acc, rows, first, valid, query.scale), first, valid);
  }
}

template <class Dot, class Sink>
void scan(const typename Dot::Rows& rows, const PreparedQuery& query, Sink& sink) {
  const std::size_t bytes = rows.count * rows.stride * sizeof(typename Dot::Element);
  const std::size_t rowBytes = rows.dimension * sizeof(typename Dot::Element);
  switch (rowOrder(bytes, rowBytes, rows.residency)) {
    case RowOrder::eight: return scanInOrder<Dot, RowOrder::eight>(rows, query, sink);
    case RowOrder::four: return scanInOrder<Dot, RowOrder::four>(rows, query, sink);
    case RowOrder::strict: return scanInOrder<Dot, RowOrder::strict>(rows, query, sink);
  }
}

/// Feeds a top-k by `scanInto(sink)` with the collector that suits k.
template <class Simd, class Scan>
std::size_t collect(const TopkOptions& options, Hit* hits, const Scan& scanInto) {
  if (options.k <= kInsertionK) {
    BestHits<Simd> best(hits, options.k);
    TopkSink<Simd, BestHits<Simd>> sink{best, options.excluded};
    scanInto(sink);
    return best.finish();
  }
  SelectedHits<Simd, kMaxK> best(options.k);
  TopkSink<Simd, SelectedHits<Simd, kMaxK>> sink{best, options.excluded};
  scanInto(sink);
  return best.finish(hits);
}

template <class Simd, class Dot>
std::size_t topk(const typename Dot::Rows& rows, const float* query, const TopkOptions& options, Hit* hits) {
  PreparedQuery prepared;
  Dot::prepare(query, rows.dimension, prepared);
  return collect<Simd>(options, hits, [&](auto& sink) { scan<Dot>(rows, prepared, sink); });
}

template <class Simd>
std::size_t selectTopk(const float* scores, std::size_t count, const TopkOptions& options, Hit* hits) {
  return collect<Simd>(options, hits, [&](auto& sink) {
    std::size_t first = 0;
    for (; first + 8 <= count; first += 8) sink.take(Simd::eightLoad(scores + first), first, 8);
    if (first == count) return;
    float last[8] = {};
    std::memcpy(last, scores + first, (count - first) * sizeof(float));
    sink.take(Simd::eightLoad(last), first, count - first);
  });
}

}  // namespace
}  // namespace ontomem::kernels
