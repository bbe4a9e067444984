// Memory layout that every kernel assumes: formats, padded strides, row matrices, hits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ontomem::kernels {

/// Storage format of a row matrix.
enum class Format : std::uint8_t { f32, bf16, int8 };

/// Widest vector a kernel accepts; callers refuse wider ones. Bounds the stack used for a query copy.
inline constexpr std::size_t kMaxDimension = 4096;
/// Most hits a top-k may be asked for.
inline constexpr std::size_t kMaxK = 1024;
/// Most query vectors of one user scored in one pass over the rows.
inline constexpr std::size_t kMaxScoreQueries = 4;
/// Most queries in one packed batch.
inline constexpr std::size_t kMaxBatch = 32;
/// Rows start on, and are zero-padded to, multiples of one cache line.
inline constexpr std::size_t kLineBytes = 64;

constexpr std::size_t bytesPerElement(Format format) {
  return format == Format::f32 ? 4 : format == Format::bf16 ? 2 : 1;
}

/// `dimension` rounded up to whole cache lines, in elements: the part of a row that kernels read.
constexpr std::size_t paddedDimension(Format format, std::size_t dimension) {
  const std::size_t elementsPerLine = kLineBytes / bytesPerElement(format);
  return (dimension + elementsPerLine - 1) / elementsPerLine * elementsPerLine;
}

/// Elements from one row to the next: whole cache lines, plus one line when the row would be a
/// multiple of 2 KB, since rows then fall on the same cache sets (1024-d f32: 20-40% slower).
constexpr std::size_t paddedStride(Format format, std::size_t dimension) {
  const std::size_t padded = paddedDimension(format, dimension);
  const std::size_t line = kLineBytes / bytesPerElement(format);
  return padded != 0 && padded * bytesPerElement(format) % 2048 == 0 ? padded + line : padded;
}

/// Where the rows probably lie. `automatic` judges by their bytes; `cold` says that this user has not
/// been touched for a while: rows are then read in strict address order however few they are
/// (1k x 384 cold: 50 us against 120 us with rows interleaved). Batches read one way in any case.
enum class Residency : std::uint8_t { automatic, cold };

/// Row-major f32 matrix. `stride` (elements) is a multiple of 16, at least the padded dimension, and
/// elements [dimension, paddedDimension) of each row are zero: kernels read them.
struct F32Rows {
  const float* data;
  std::size_t stride;
  std::size_t count;
  std::size_t dimension;
  Residency residency = Residency::automatic;
};

/// As F32Rows, of bfloat16 bit patterns; `stride` is a multiple of 32.
struct Bf16Rows {
  const std::uint16_t* data;
  std::size_t stride;
  std::size_t count;
  std::size_t dimension;
  Residency residency = Residency::automatic;
};

/// As F32Rows, of integers in [-127, 127]; `stride` is a multiple of 64. Row i stands for
/// `scales[i] * data[i]`, and `sums[i]` is the sum of its integers.
struct Int8Rows {
  const std::int8_t* data;
  std::size_t stride;
  std::size_t count;
  std::size_t dimension;
  const float* scales;
  const std::int32_t* sums;
  Residency residency = Residency::automatic;
};

/// One answer of a top-k search. Order everywhere: higher score first, and of equal scores the higher
/// row (rows are appended in time order, so the newer turn wins).
struct Hit {
  float score;
  std::uint32_t row;
};

/// `excluded`: one bit a row (row i is bit i % 64 of word i / 64), set = never a hit; null = none.
/// Precondition 1 <= k <= kMaxK.
struct TopkOptions {
  std::size_t k;
  const std::uint64_t* excluded = nullptr;
};

/// Statistics of one query's scores over the rows that are not excluded, so that z-normalising
/// needs no second pass. With no such row: zeros, and `max` is -infinity.
struct ScoreStats {
  double sum;
  double sumSquares;
  float max;
  std::uint32_t count;
};

}  // namespace ontomem::kernels
