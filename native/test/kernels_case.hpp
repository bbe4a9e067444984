// One random case for the kernels: rows, queries and options drawn from a seed, and f64 references.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <vector>

#include "ontomem/kernels.hpp"

namespace ontomem::kernels::test {

/// Zero-filled array on a cache line of exactly the bytes asked for, so that ASan sees one byte too many.
template <class T>
class LineArray {
 public:
  explicit LineArray(std::size_t count) : size_(count) {
    const std::size_t bytes = (count * sizeof(T) + kLineBytes - 1) / kLineBytes * kLineBytes;
    data_.reset(static_cast<T*>(std::aligned_alloc(kLineBytes, bytes == 0 ? kLineBytes : bytes)));
    for (std::size_t i = 0; i < count; ++i) data_.get()[i] = T{};
  }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_.get()[i]; }
  const T& operator[](std::size_t i) const { return data_.get()[i]; }

 private:
  struct Free {
    void operator()(T* p) const { std::free(p); }
  };
  std::unique_ptr<T, Free> data_;
  std::size_t size_;
};

/// `integers` has few distinct small values: every product and sum is exact in f32, and ties abound.
enum class Content { gaussian, unit, integers, zeros, denormals, sameRow, wideRange };
inline constexpr int kContents = 7;

inline float randomValue(Content content, std::mt19937_64& random) {
  switch (content) {
    case Content::integers: return static_cast<float>(static_cast<int>(random() % 5) - 2);
    case Content::zeros: return random() % 2 == 0 ? 0.0f : -0.0f;
    case Content::denormals: return static_cast<float>(static_cast<int>(random() % 2001) - 1000) * 1e-42f;
    case Content::wideRange: {
      const float sign = random() % 2 == 0 ? 1.0f : -1.0f;
      return sign * std::exp2(static_cast<float>(static_cast<int>(random() % 41) - 20));
    }
    default: return std::normal_distribution<float>{}(random);
  }
}

/// Rows as a caller has them (tight f32) and in all three formats, with queries and options.
struct Case {
  Content content;
  std::size_t dimension, count, k, queryCount;
  std::vector<float> source;
  std::vector<std::vector<float>> queries;
  std::vector<std::uint64_t> excluded;
  Residency residency;

  const std::uint64_t* excludedBits() const { return excluded.empty() ? nullptr : excluded.data(); }
  bool isExcluded(std::size_t row) const { return !excluded.empty() && (excluded[row / 64] >> (row % 64) & 1) != 0; }
  TopkOptions options() const { return {k, excludedBits()}; }
};

inline Case makeCase(std::uint64_t seed, std::size_t largestCount) {
  std::mt19937_64 random(seed);
  Case made;
  made.content = static_cast<Content>(random() % kContents);
  made.dimension = random() % 8 == 0 ? 1 + random() % 800 : 1 + random() % 140;
  made.count = random() % 16 == 0 ? 0 : random() % (1 + (random() % 8 == 0 ? largestCount : 60));
  made.k = random() % 4 == 0 ? 1 + random() % kMaxK : 1 + random() % 20;
  made.queryCount = 1 + random() % kMaxBatch;
  made.residency = random() % 4 == 0 ? Residency::cold : Residency::automatic;

  const auto fill = [&](float* out) {
    double squares = 0;
    for (std::size_t i = 0; i < made.dimension; ++i) {
      out[i] = randomValue(made.content, random);
      squares += static_cast<double>(out[i]) * out[i];
    }
    if (made.content != Content::unit || squares == 0) return;
    for (std::size_t i = 0; i < made.dimension; ++i) out[i] = static_cast<float>(out[i] / std::sqrt(squares));
  };
  made.source.resize(made.count * made.dimension);
  for (std::size_t row = 0; row < made.count; ++row) {
    float* out = made.source.data() + row * made.dimension;
    const bool repeat = row != 0 && (made.content == Content::sameRow || random() % 16 == 0);
    if (repeat) {
      for (std::size_t i = 0; i < made.dimension; ++i) out[i] = made.source[(row - 1) * made.dimension + i];
    } else {
      fill(out);
    }
  }
  made.queries.assign(made.queryCount, std::vector<float>(made.dimension));
  for (auto& query : made.queries) fill(query.data());
  if (random() % 3 == 0) {
    made.excluded.resize((made.count + 63) / 64);
    for (auto& word : made.excluded) word = random() & random();
  }
  return made;
}

/// A matrix in one format with exactly the memory the kernels may read: the last row ends at its padding.
inline std::size_t matrixElements(Format format, std::size_t dimension, std::size_t count) {
  return count == 0 ? 0 : (count - 1) * paddedStride(format, dimension) + paddedDimension(format, dimension);
}

struct Matrices {
  LineArray<float> f32;
  LineArray<std::uint16_t> bf16;
  LineArray<std::int8_t> int8;
  LineArray<float> scales;
  LineArray<std::int32_t> sums;
  F32Rows f32Rows;
  Bf16Rows bf16Rows;
  Int8Rows int8Rows;

  Matrices(const Kernels& kernels, const Case& c)
      : f32(matrixElements(Format::f32, c.dimension, c.count)),
        bf16(matrixElements(Format::bf16, c.dimension, c.count)),
        int8(matrixElements(Format::int8, c.dimension, c.count)),
        scales(c.count),
        sums(c.count) {
    const std::size_t d = c.dimension, n = c.count;
    f32Rows = {f32.data(), paddedStride(Format::f32, d), n, d, c.residency};
    bf16Rows = {bf16.data(), paddedStride(Format::bf16, d), n, d, c.residency};
    int8Rows = {int8.data(), paddedStride(Format::int8, d), n, d, scales.data(), sums.data(), c.residency};
    kernels.padF32(c.source.data(), d, n, d, f32.data(), f32Rows.stride);
    kernels.quantiseBf16(c.source.data(), d, n, d, bf16.data(), bf16Rows.stride);
    kernels.quantiseInt8(c.source.data(), d, n, d, int8.data(), int8Rows.stride, scales.data(), sums.data());
  }
};

inline float widen(std::uint16_t bits) {
  const std::uint32_t word = static_cast<std::uint32_t>(bits) << 16;
  float value;
  static_assert(sizeof value == sizeof word);
  __builtin_memcpy(&value, &word, sizeof value);
  return value;
}

/// A row's score in f64, and how far an f32 sum of the same products may lie from it.
struct Reference {
  double score = 0;
  double tolerance = 0;
};

template <class Left, class Right>
Reference referenceDot(std::size_t dimension, Left left, Right right, double scale = 1.0) {
  Reference reference;
  double magnitudes = 0;
  for (std::size_t i = 0; i < dimension; ++i) {
    const double product = static_cast<double>(left(i)) * static_cast<double>(right(i));
    reference.score += product;
    magnitudes += std::fabs(product);
  }
  reference.score *= scale;
  // d roundings of half a unit in the last place, and a floor for what flushing denormals may lose.
  reference.tolerance =
      (static_cast<double>(dimension) + 4) * 0x1p-24 * magnitudes * std::fabs(scale) + static_cast<double>(dimension) * 1e-36;
  return reference;
}

}  // namespace ontomem::kernels::test
