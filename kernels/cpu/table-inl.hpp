// The table of one instruction set, filled from the templates.
#pragma once

#include "batch-inl.hpp"
#include "dense-inl.hpp"
#include "rescore-inl.hpp"
#include "rows-inl.hpp"
#include "scores-inl.hpp"

namespace ontomem::kernels {
namespace {

template <class Simd>
constexpr Kernels tableOf(Isa isa, const char* name) {
  using F32 = typename Simd::F32Dot;
  using Bf16 = typename Simd::Bf16Dot;
  using Int8 = typename Simd::Int8Dot;
  Kernels table{};
  table.isa = isa;
  table.name = name;
  table.scoresF32 = scores<Simd, F32>;
  table.scoresBf16 = scores<Simd, Bf16>;
  table.scoresInt8 = scores<Simd, Int8>;
  table.topkF32 = topk<Simd, F32>;
  table.topkBf16 = topk<Simd, Bf16>;
  table.topkInt8 = topk<Simd, Int8>;
  table.topkInt8RescoredF32 = topkRescored<Simd, F32>;
  table.topkInt8RescoredBf16 = topkRescored<Simd, typename Simd::ExactBf16Dot>;
  table.selectTopk = selectTopk<Simd>;
  table.packF32 = packQueries<F32Batch<Simd>>;
  table.packBf16 = packQueries<typename Simd::Bf16Batch>;
  table.packInt8 = packQueries<typename Simd::Int8Batch>;
  table.topkBatchF32 = topkBatch<Simd, F32Batch<Simd>>;
  table.topkBatchBf16 = topkBatch<Simd, typename Simd::Bf16Batch>;
  table.topkBatchInt8 = topkBatch<Simd, typename Simd::Int8Batch>;
  table.padF32 = padF32<Simd>;
  table.quantiseBf16 = quantiseBf16<Simd>;
  table.quantiseInt8 = quantiseInt8<Simd>;
  table.allFinite = allFinite<Simd>;
  table.dot = dot<Simd>;
  table.normalise = normalise<Simd>;
  table.mapQuery = mapQuery<Simd>;
  table.mlpForward = mlpForward<Simd>;
  table.fuseColumns = fuseColumns<Simd>;
  return table;
}

}  // namespace
}  // namespace ontomem::kernels
