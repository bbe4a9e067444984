// The int8 scan whose best candidates are scored again exactly, from f32 or bf16 rows.
#pragma once

#include "flat-inl.hpp"

namespace ontomem::kernels {
namespace {

// Candidate rows lie scattered: their first lines are asked for this many candidates ahead.
inline constexpr std::size_t kRescoreAhead = 4;

template <class Element>
ONTOMEM_INLINE void prefetchRow(const Element* row, std::size_t padded) {
  const char* bytes = reinterpret_cast<const char*>(row);
  for (std::size_t at = 0; at < padded * sizeof(Element); at += kLineBytes) prefetchLine(bytes + at);
}

/// ExactDot scores with the unrounded query: Simd::F32Dot, or Simd::ExactBf16Dot.
template <class Simd, class ExactDot>
std::size_t topkRescored(const Int8Rows& rows, const typename ExactDot::Rows& exact, const float* query,
                         const TopkOptions& options, Hit* hits) {
  using Int8Dot = typename Simd::Int8Dot;
  constexpr std::size_t mostCandidates = rescoreCandidates(kMaxK);
  PreparedQuery prepared;
  Int8Dot::prepare(query, rows.dimension, prepared);
  SelectedHits<Simd, mostCandidates> selected(rescoreCandidates(options.k));
  TopkSink<Simd, SelectedHits<Simd, mostCandidates>> sink{selected, options.excluded};
  scan<Int8Dot>(rows, prepared, sink);
  Hit candidates[mostCandidates];
  const std::size_t found = selected.finishUnordered(candidates);

  ExactDot::prepare(query, exact.dimension, prepared);
  const std::size_t padded = paddedDimension(ExactDot::kFormat, exact.dimension);
  BestHits<Simd> best{hits, options.k};
  for (std::size_t group = 0; group < found; group += 8) {
    const std::size_t valid = found - group < 8 ? found - group : 8;
    typename ExactDot::Acc acc[8];
    for (std::size_t i = 0; i < 8; ++i) {
      if (group + i + kRescoreAhead < found) {
        prefetchRow(exact.data + candidates[group + i + kRescoreAhead].row * exact.stride, padded);
      }
      acc[i] = i < valid ? oneRow<ExactDot>(exact.data + candidates[group + i].row * exact.stride, prepared, padded)
                         : ExactDot::zero();
    }
    float lanes[8];
    Simd::eightStore(lanes, Simd::sum8(acc));
    for (std::size_t i = 0; i < valid; ++i) best.offer(lanes[i], candidates[group + i].row);
  }
  return best.finish();
}

}  // namespace
}  // namespace ontomem::kernels
