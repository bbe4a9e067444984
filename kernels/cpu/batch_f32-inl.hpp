// How a batch meets its rows in f32: rows as they are, or bf16 and int8 rows widened a tile at a time.
//
// Widening costs one pass of 32 over a tile, so on instruction sets without bf16 or int8 products the
// smaller formats run at the speed of f32 while reading fewer bytes.
#pragma once

#include "portable-inl.hpp"

namespace ontomem::kernels {
namespace {

template <class Simd>
struct F32Multiply {
  using Word = float;
  using Acc = typename Simd::Float;
  using Query = typename Simd::Float;
  static constexpr std::size_t kLanes = Simd::kLanes;
  static constexpr std::size_t kStep = 1;
  static Acc zero() { return Simd::zero(); }
  static Query load(const float* words) { return Simd::load(words); }
  static Query broadcast(const float* word) { return Simd::broadcast(*word); }
  static Acc accumulate(Acc acc, Query query, Query word) { return Simd::fma(query, word, acc); }
};

template <class Simd>
struct F32Batch : F32Format, F32Multiply<Simd> {
  using Float = typename Simd::Float;
  static constexpr bool kPrefetch = true;

  template <std::size_t kRows>
  class Block {
   public:
    Block(const F32Rows& rows, std::size_t first) : words_(rows.data + first * rows.stride), stride_(rows.stride) {}
    const float* words() const { return words_; }
    std::size_t stride() const { return stride_; }

   private:
    const float* words_;
    std::size_t stride_;
  };

  static Float scores(Float acc, const F32Rows&, std::size_t, const float*) { return acc; }

  static const char* prepareWords(const float* query, std::size_t dimension, PreparedQuery& prepared) {
    Simd::F32Dot::prepare(query, dimension, prepared);
    return reinterpret_cast<const char*>(prepared.f32);
  }
};

/// kRows rows widened to f32 on the stack: 6 x 384 floats are 9 KB, and stay in L1.
template <std::size_t kRows>
class WidenedBlock {
 public:
  template <class Rows>
  WidenedBlock(const Rows& rows, std::size_t first, Format format)
      : stride_(paddedDimension(format, rows.dimension) + kLineBytes / sizeof(float)) {
    for (std::size_t r = 0; r < kRows; ++r) widen(rows.data + (first + r) * rows.stride, words_ + r * stride_);
  }
  const float* words() const { return words_; }
  std::size_t stride() const { return stride_; }

 private:
  // Rows are a line apart beyond their padding, so the padding itself is all that needs widening.
  void widen(const std::uint16_t* row, float* out) const {
    for (std::size_t i = 0; i + kLineBytes / sizeof(float) < stride_; ++i) out[i] = fromBf16(row[i]);
  }
  void widen(const std::int8_t* row, float* out) const {
    for (std::size_t i = 0; i + kLineBytes / sizeof(float) < stride_; ++i) out[i] = static_cast<float>(row[i]);
  }

  std::size_t stride_;
  alignas(64) float words_[kRows * (kMaxDimension + kLineBytes / sizeof(float))];
};

template <class Simd>
struct WidenedBf16Batch : Bf16Format, F32Multiply<Simd> {
  using Float = typename Simd::Float;
  static constexpr bool kPrefetch = false;

  template <std::size_t kRows>
  struct Block : WidenedBlock<kRows> {
    Block(const Bf16Rows& rows, std::size_t first) : WidenedBlock<kRows>(rows, first, Format::bf16) {}
  };

  static Float scores(Float acc, const Bf16Rows&, std::size_t, const float*) { return acc; }

  static const char* prepareWords(const float* query, std::size_t dimension, PreparedQuery& prepared) {
    copyPadded<Simd>(query, dimension, prepared.f32);
    for (std::size_t i = 0; i < dimension; ++i) prepared.f32[i] = fromBf16(toBf16(query[i]));
    return reinterpret_cast<const char*>(prepared.f32);
  }
};

template <class Simd>
struct WidenedInt8Batch : Int8Format, F32Multiply<Simd> {
  using Float = typename Simd::Float;
  static constexpr bool kPrefetch = false;

  template <std::size_t kRows>
  struct Block : WidenedBlock<kRows> {
    Block(const Int8Rows& rows, std::size_t first) : WidenedBlock<kRows>(rows, first, Format::int8) {}
  };

  static Float scores(Float acc, const Int8Rows& rows, std::size_t row, const float* queryScales) {
    return Simd::mul(Simd::mul(acc, Simd::broadcast(rows.scales[row])), Simd::load(queryScales));
  }

  static const char* prepareWords(const float* query, std::size_t dimension, PreparedQuery& prepared) {
    std::int8_t quantised[kMaxDimension];
    std::int32_t sum;
    quantiseRowInt8<Simd>(query, dimension, quantised, prepared.scale, sum);
    const std::size_t padded = paddedDimension(Format::int8, dimension);
    for (std::size_t i = 0; i < padded; ++i) prepared.f32[i] = static_cast<float>(quantised[i]);
    return reinterpret_cast<const char*>(prepared.f32);
  }
};

}  // namespace
}  // namespace ontomem::kernels
