// Rows from f32: padding, rounding to bf16, quantising to int8, refusing what is not finite.
#pragma once

#include "portable-inl.hpp"

namespace ontomem::kernels {
namespace {

template <class Simd>
void padF32(const float* source, std::size_t sourceStride, std::size_t count, std::size_t dimension,
            float* rows, std::size_t stride) {
  const std::size_t padded = paddedDimension(Format::f32, dimension);
  for (std::size_t row = 0; row < count; ++row, source += sourceStride, rows += stride) {
    std::memcpy(rows, source, dimension * sizeof(float));
    std::memset(rows + dimension, 0, (padded - dimension) * sizeof(float));
  }
}

template <class Simd>
void quantiseBf16(const float* source, std::size_t sourceStride, std::size_t count, std::size_t dimension,
                  std::uint16_t* rows, std::size_t stride) {
  const std::size_t padded = paddedDimension(Format::bf16, dimension);
  for (std::size_t row = 0; row < count; ++row, source += sourceStride, rows += stride) {
    for (std::size_t i = 0; i < dimension; ++i) rows[i] = toBf16(source[i]);
    std::memset(rows + dimension, 0, (padded - dimension) * sizeof(std::uint16_t));
  }
}

template <class Simd>
void quantiseInt8(const float* source, std::size_t sourceStride, std::size_t count, std::size_t dimension,
                  std::int8_t* rows, std::size_t stride, float* scales, std::int32_t* sums) {
  for (std::size_t row = 0; row < count; ++row, source += sourceStride, rows += stride) {
    quantiseRowInt8<Simd>(source, dimension, rows, scales[row], sums[row]);
  }
}

template <class Simd>
bool allFinite(const float* values, std::size_t count) {
  // All exponent bits set is infinity or NaN; no branch inside, so that the loop becomes vectors.
  constexpr std::uint32_t kExponent = 0x7f800000u;
  std::uint32_t found = 0;
  for (std::size_t i = 0; i < count; ++i) {
    found |= static_cast<std::uint32_t>((bitsOf(values[i]) & kExponent) == kExponent);
  }
  return found == 0;
}

}  // namespace
}  // namespace ontomem::kernels
