// What every instruction set shares: the prepared query, the formats, rounding to bf16 and int8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "ontomem/kernels.hpp"

#if defined(_MSC_VER)
#define ONTOMEM_INLINE __forceinline
#define ONTOMEM_INLINE_LAMBDA
#else
#define ONTOMEM_INLINE inline __attribute__((always_inline))
#define ONTOMEM_INLINE_LAMBDA __attribute__((always_inline))
#endif

namespace ontomem::kernels {
namespace {

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// A query in the form one row format wants, zero beyond its dimension up to a whole line.
struct PreparedQuery {
  union {
    alignas(64) float f32[kMaxDimension];
    std::uint16_t bf16[kMaxDimension];
    std::int8_t int8[kMaxDimension];
  };
  // Form of int8 queries that only some instruction sets need: |q|, or q + 128.
  alignas(64) std::uint8_t unsigned8[kMaxDimension];
  float scale = 1.0f;
};

struct F32Format {
  using Element = float;
  using Rows = F32Rows;
  static constexpr Format kFormat = Format::f32;
};

struct Bf16Format {
  using Element = std::uint16_t;
  using Rows = Bf16Rows;
  static constexpr Format kFormat = Format::bf16;
};

struct Int8Format {
  using Element = std::int8_t;
  using Rows = Int8Rows;
  static constexpr Format kFormat = Format::int8;
};

/// Calls act(0), act(1), ... with constants. A fold, not a loop: only then does GCC 12 keep an array of
/// accumulators in registers.
template <std::size_t... kIndex, class Act>
ONTOMEM_INLINE void forEach(std::index_sequence<kIndex...>, const Act& act) {
  (act(std::integral_constant<std::size_t, kIndex>{}), ...);
}

ONTOMEM_INLINE std::uint32_t bitsOf(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

ONTOMEM_INLINE float floatOf(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// Round to nearest, ties to even, in integers: the vector instructions flush denormals, this does not.
ONTOMEM_INLINE std::uint16_t toBf16(float value) {
  const std::uint32_t bits = bitsOf(value);
  return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

ONTOMEM_INLINE float fromBf16(std::uint16_t value) {
  return floatOf(static_cast<std::uint32_t>(value) << 16);
}

template <class Simd>
void copyPadded(const float* source, std::size_t dimension, float* out) {
  std::memcpy(out, source, dimension * sizeof(float));
  const std::size_t padded = paddedDimension(Format::int8, dimension);
  std::memset(out + dimension, 0, (padded - dimension) * sizeof(float));
}

/// The query in blocks of kLanes even elements and kLanes odd ones, as 32-bit words of two bf16 meet it.
template <std::size_t kLanes, class Query>
void prepareEvenOdd(const Query* query, std::size_t dimension, PreparedQuery& out) {
  const std::size_t padded = paddedDimension(Format::bf16, dimension);
  for (std::size_t block = 0; block < padded; block += 2 * kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::size_t even = block + 2 * lane;
      out.f32[block + lane] = even < dimension ? query[even] : 0.0f;
      out.f32[block + kLanes + lane] = even + 1 < dimension ? query[even + 1] : 0.0f;
    }
  }
}

template <class Simd>
float largestMagnitude(const float* values, std::size_t count) {
  typename Simd::Float largest = Simd::zero();
  std::size_t i = 0;
  for (; i + Simd::kLanes <= count; i += Simd::kLanes) {
    largest = Simd::max(largest, Simd::magnitude(Simd::load(values + i)));
  }
  float lanes[Simd::kLanes];
  Simd::store(lanes, largest);
  float result = lanes[0];
  for (const float lane : lanes) result = result > lane ? result : lane;
  for (; i < count; ++i) {
    const float magnitude = values[i] < 0 ? -values[i] : values[i];
    result = result > magnitude ? result : magnitude;
  }
  return result;
}

/// Symmetric int8: scale = max|x| / 127. Below this magnitude 127 / max overflows, and the row is zero.
inline constexpr float kSmallestInt8Magnitude = 1e-30f;

template <class Simd>
void quantiseRowInt8(const float* source, std::size_t dimension, std::int8_t* out, float& scale,
                     std::int32_t& sum) {
  const std::size_t padded = paddedDimension(Format::int8, dimension);
  const float largest = largestMagnitude<Simd>(source, dimension);
  sum = 0;
  if (largest < kSmallestInt8Magnitude) {
    scale = 0.0f;
    std::memset(out, 0, padded);
    return;
  }
  scale = largest / 127.0f;
  const float inverse = 127.0f / largest;
  // Adding 1.5 * 2^23 leaves the integer nearest (ties to even) in the low mantissa bits, and is the
  // form that compilers turn into vectors.
  constexpr float kRound = 12582912.0f;
  const std::int32_t roundBits = static_cast<std::int32_t>(bitsOf(kRound));
  std::int32_t total = 0;
  for (std::size_t i = 0; i < dimension; ++i) {
    const float rounded = source[i] * inverse + kRound;
    const std::int32_t value = static_cast<std::int32_t>(bitsOf(rounded)) - roundBits;
    out[i] = static_cast<std::int8_t>(value);
    total += value;
  }
  sum = total;
  std::memset(out + dimension, 0, padded - dimension);
}

}  // namespace
}  // namespace ontomem::kernels
