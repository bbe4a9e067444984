// The kernels: one table of function pointers per instruction set, chosen once per process.
//
// Nothing here allocates, throws, or keeps a pointer after it returns; all functions are safe to call
// from any number of threads. Callers refuse NaN and infinity first (`allFinite`), and vectors are
// scaled so that no inner product overflows f32 (unit vectors are far inside).
#pragma once

#include "ontomem/layout.hpp"
#include "ontomem/mlp.hpp"

namespace ontomem::kernels {

/// `avx512` means F, BW, DQ, VL, VNNI and BF16 together (Zen 4, Sapphire Rapids and later).
enum class Isa : std::uint8_t { scalar, avx2, avx512, neon };

/// Up to kMaxBatch queries laid out for one instruction set: pack and search with the same table.
/// The caller owns `data`: packedQueryBytes(dimension) bytes, 64-byte aligned.
struct PackedQueries {
  void* data;
  std::size_t count;
  std::size_t dimension;
  float scales[kMaxBatch];
};

/// Bytes that PackedQueries::data needs, for any format and instruction set.
constexpr std::size_t packedQueryBytes(std::size_t dimension) {
  return paddedDimension(Format::int8, dimension) * kMaxBatch * sizeof(float);
}

/// Candidates that the int8 scan hands to exact rescoring: with 40 (or 4k) recall is 1.000 on
/// clustered unit vectors.
constexpr std::size_t rescoreCandidates(std::size_t k) { return 4 * k > 40 ? 4 * k : 40; }

struct Kernels {
  Isa isa;
  const char* name;

  // ---- scores of all rows, 1..kMaxScoreQueries queries in one pass ------------------------------
  // scores[q * scoreStride + i] = <row i, queries[q]>; excluded rows are scored too, but left out of
  // stats[q]. Queries are f32 of rows.dimension elements. bf16 rows meet a query rounded to bf16, int8
  // rows a query quantised to int8. O(count * dimension * queryCount); each row is read once.
  void (*scoresF32)(const F32Rows& rows, const float* const* queries, std::size_t queryCount,
                    const std::uint64_t* excluded, float* scores, std::size_t scoreStride,
                    ScoreStats* stats);
  void (*scoresBf16)(const Bf16Rows& rows, const float* const* queries, std::size_t queryCount,
                     const std::uint64_t* excluded, float* scores, std::size_t scoreStride,
                     ScoreStats* stats);
  void (*scoresInt8)(const Int8Rows& rows, const float* const* queries, std::size_t queryCount,
                     const std::uint64_t* excluded, float* scores, std::size_t scoreStride,
                     ScoreStats* stats);

  // ---- flat top-k, one query ---------------------------------------------------------------------
  // Writes the best min(k, rows not excluded) to `hits` (room for k), best first; returns how many.
  // Ties: higher score, then higher row. Exact for the format's own scores.
  std::size_t (*topkF32)(const F32Rows& rows, const float* query, const TopkOptions& options, Hit* hits);
  std::size_t (*topkBf16)(const Bf16Rows& rows, const float* query, const TopkOptions& options, Hit* hits);
  std::size_t (*topkInt8)(const Int8Rows& rows, const float* query, const TopkOptions& options, Hit* hits);

  // int8 scan, then the best rescoreCandidates(k) rows scored again from `exact` (same rows, same
  // order) with the unrounded query. Worth it from about 1k rows; below, scan bf16 or f32.
  std::size_t (*topkInt8RescoredF32)(const Int8Rows& rows, const F32Rows& exact, const float* query,
                                     const TopkOptions& options, Hit* hits);
  std::size_t (*topkInt8RescoredBf16)(const Int8Rows& rows, const Bf16Rows& exact, const float* query,
                                      const TopkOptions& options, Hit* hits);

  /// Top-k of scores already computed (fused ones, say): index i of `scores` is row i.
  std::size_t (*selectTopk)(const float* scores, std::size_t count, const TopkOptions& options, Hit* hits);

  // ---- flat top-k, up to kMaxBatch queries over the same rows -------------------------------------
  // hits is [queries.count][k], counts is [queries.count]; otherwise as the single form.
  // `pack*` fills the packed form of `count` f32 queries into packed.data.
  void (*packF32)(const float* const* queries, std::size_t count, std::size_t dimension, PackedQueries& packed);
  void (*packBf16)(const float* const* queries, std::size_t count, std::size_t dimension, PackedQueries& packed);
  void (*packInt8)(const float* const* queries, std::size_t count, std::size_t dimension, PackedQueries& packed);
  void (*topkBatchF32)(const F32Rows& rows, const PackedQueries& queries, const TopkOptions& options,
                       Hit* hits, std::size_t* counts);
  void (*topkBatchBf16)(const Bf16Rows& rows, const PackedQueries& queries, const TopkOptions& options,
                        Hit* hits, std::size_t* counts);
  void (*topkBatchInt8)(const Int8Rows& rows, const PackedQueries& queries, const TopkOptions& options,
                        Hit* hits, std::size_t* counts);

  // ---- rows from f32 -------------------------------------------------------------------------------
  // `source` is [count] rows of `dimension` floats, `sourceStride` apart, no padding needed; the
  // output's padding up to a whole line is written as zero. bf16 rounds to nearest, ties to even.
  // int8: scale = max|x| / 127, rounds to nearest even; a zero row gets scale 0.
  void (*padF32)(const float* source, std::size_t sourceStride, std::size_t count, std::size_t dimension,
                 float* rows, std::size_t stride);
  void (*quantiseBf16)(const float* source, std::size_t sourceStride, std::size_t count,
                       std::size_t dimension, std::uint16_t* rows, std::size_t stride);
  void (*quantiseInt8)(const float* source, std::size_t sourceStride, std::size_t count,
                       std::size_t dimension, std::int8_t* rows, std::size_t stride, float* scales,
                       std::int32_t* sums);

  // ---- small dense algebra --------------------------------------------------------------------------
  bool (*allFinite)(const float* values, std::size_t count);
  float (*dot)(const float* left, const float* right, std::size_t count);
  /// Scales `values` to unit length in place and returns the former length; zero stays zero.
  float (*normalise)(float* values, std::size_t count);
  /// out[m * outStride + i] = sum over j of maps[m][i * mapStride + j] * query[j], i, j < dimension.
  void (*mapQuery)(const float* const* maps, std::size_t mapCount, std::size_t mapStride,
                   std::size_t dimension, const float* query, float* out, std::size_t outStride);
  /// features is [count][inputs] rows `featureStride` apart, out is [count][outputs], dense.
  void (*mlpForward)(const PackedMlp& mlp, const float* features, std::size_t featureStride,
                     std::size_t count, float* out);
  /// Eq. 1: out[i] = sum over c of weights[c] * columns[c][i].
  void (*fuseColumns)(const float* const* columns, const float* weights, std::size_t columnCount,
                      std::size_t count, float* out);
};

/// The best table this CPU runs, or the one `ONTOMEM_ISA` names. Chosen on first use, then constant.
const Kernels& active();

/// The table of that name ("scalar", "avx2", "avx512", "avx512-wide", "neon"); null when unknown, not built, or not
/// supported by this CPU.
const Kernels* byName(const char* name);

/// Why `ONTOMEM_ISA` was not followed; null when it was, or was not set.
const char* isaWarning();

}  // namespace ontomem::kernels
