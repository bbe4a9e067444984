// AVX2 with FMA: 8 lanes. The interface is described in simd_scalar.hpp.
#pragma once

#include <immintrin.h>

#include "batch_f32-inl.hpp"

namespace ontomem::kernels {
namespace {

struct Avx2 {
  using Float = __m256;
  static constexpr std::size_t kLanes = 8;
  static Float zero() { return _mm256_setzero_ps(); }
  static Float load(const float* p) { return _mm256_loadu_ps(p); }
  static void store(float* p, Float v) { _mm256_storeu_ps(p, v); }
  static Float broadcast(float v) { return _mm256_set1_ps(v); }
  static Float fma(Float a, Float b, Float c) { return _mm256_fmadd_ps(a, b, c); }
  static Float add(Float a, Float b) { return _mm256_add_ps(a, b); }
  static Float mul(Float a, Float b) { return _mm256_mul_ps(a, b); }
  static Float max(Float a, Float b) { return _mm256_max_ps(a, b); }
  static Float magnitude(Float a) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a); }
  static float sum(Float v) {
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    four = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(four, _mm_movehdup_ps(four)));
  }

  using Eight = __m256;
  static Eight eightZero() { return zero(); }
  static Eight eightBroadcast(float v) { return broadcast(v); }
  static Eight eightLoad(const float* p) { return load(p); }
  static void eightStore(float* p, Eight v) { store(p, v); }
  static Eight eightAdd(Eight a, Eight b) { return add(a, b); }
  static Eight eightFma(Eight a, Eight b, Eight c) { return fma(a, b, c); }
  static Eight eightMax(Eight a, Eight b) { return max(a, b); }
  static unsigned eightAtLeast(Eight v, float threshold) {
    return static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(v, broadcast(threshold), _CMP_GE_OQ)));
  }
  static Eight sum8(const Float* acc) {
    const __m256 pairs01 = _mm256_hadd_ps(acc[0], acc[1]), pairs23 = _mm256_hadd_ps(acc[2], acc[3]);
    const __m256 pairs45 = _mm256_hadd_ps(acc[4], acc[5]), pairs67 = _mm256_hadd_ps(acc[6], acc[7]);
    const __m256 low = _mm256_hadd_ps(pairs01, pairs23), high = _mm256_hadd_ps(pairs45, pairs67);
    return _mm256_add_ps(_mm256_permute2f128_ps(low, high, 0x20), _mm256_permute2f128_ps(low, high, 0x31));
  }

  struct F32Dot : F32Format {
    using Acc = __m256;
    using Query = __m256;
    static constexpr std::size_t kStep = 8;
    static void prepare(const float* query, std::size_t dimension, PreparedQuery& out) {
      copyPadded<Avx2>(query, dimension, out.f32);
    }
    static Acc zero() { return Avx2::zero(); }
    static Acc add(Acc a, Acc b) { return Avx2::add(a, b); }
    static Query load(const PreparedQuery& q, std::size_t i) { return _mm256_load_ps(q.f32 + i); }
    static Acc accumulate(Acc acc, Query q, const float* row) { return fma(q, Avx2::load(row), acc); }
    static Eight scores(const Acc* acc, const F32Rows&, std::size_t, std::size_t, float) { return sum8(acc); }
  };

  /// Sixteen bf16 are eight 32-bit words: the odd elements are their high halves, the even ones the
  /// low. The query is f32, eight even elements then eight odd ones.
  struct ExactBf16Dot : Bf16Format {
    using Acc = __m256;
    struct Query {
      __m256 even, odd;
    };
    static constexpr std::size_t kStep = 16;
    static void prepare(const float* query, std::size_t dimension, PreparedQuery& out) {
      alignas(32) float plain[kMaxDimension];
      copyPadded<Avx2>(query, dimension, plain);
      separate(plain, paddedDimension(Format::bf16, dimension), out.f32);
    }
    static Acc zero() { return Avx2::zero(); }
    static Acc add(Acc a, Acc b) { return Avx2::add(a, b); }
    static Query load(const PreparedQuery& q, std::size_t i) {
      return {_mm256_load_ps(q.f32 + i), _mm256_load_ps(q.f32 + i + 8)};
    }
    static Acc accumulate(Acc acc, Query q, const std::uint16_t* row) {
      const __m256i words = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(row));
      const __m256 even = _mm256_castsi256_ps(_mm256_slli_epi32(words, 16));
      const __m256 odd = _mm256_castsi256_ps(_mm256_and_si256(words, _mm256_set1_epi32(-65536)));
      return fma(q.odd, odd, fma(q.even, even, acc));
    }
    static Eight scores(const Acc* acc, const Bf16Rows&, std::size_t, std::size_t, float) { return sum8(acc); }

    static void separate(const float* plain, std::size_t count, float* out) {
      for (std::size_t i = 0; i < count; i += 16) {
        for (std::size_t lane = 0; lane < 8; ++lane) {
          out[i + lane] = plain[i + 2 * lane];
          out[i + 8 + lane] = plain[i + 2 * lane + 1];
        }
      }
    }
  };

  struct Bf16Dot : ExactBf16Dot {
    static void prepare(const float* query, std::size_t dimension, PreparedQuery& out) {
      alignas(32) float rounded[kMaxDimension];
      copyPadded<Avx2>(query, dimension, rounded);
      for (std::size_t i = 0; i < dimension; ++i) rounded[i] = fromBf16(toBf16(rounded[i]));
      separate(rounded, paddedDimension(Format::bf16, dimension), out.f32);
    }
  };

  /// vpmaddubsw wants one unsigned side: |q| meets the row with q's sign. Two products are at most
  /// 2 * 127 * 127 and never saturate.
  struct Int8Dot : Int8Format {
    using Acc = __m256i;
    struct Query {
      __m256i magnitude, sign;
    };
    static constexpr std::size_t kStep = 32;
    static void prepare(const float* query, std::size_t dimension, PreparedQuery& out) {
      std::int32_t unusedSum;
      quantiseRowInt8<Avx2>(query, dimension, out.int8, out.scale, unusedSum);
      const std::size_t padded = paddedDimension(Format::int8, dimension);
      for (std::size_t i = 0; i < padded; ++i) {
        out.unsigned8[i] = static_cast<std::uint8_t>(out.int8[i] < 0 ? -out.int8[i] : out.int8[i]);
      }
    }
    static Acc zero() { return _mm256_setzero_si256(); }
    static Acc add(Acc a, Acc b) { return _mm256_add_epi32(a, b); }
    static Query load(const PreparedQuery& q, std::size_t i) {
      return {_mm256_load_si256(reinterpret_cast<const __m256i*>(q.unsigned8 + i)),
              _mm256_load_si256(reinterpret_cast<const __m256i*>(q.int8 + i))};
    }
    static Acc accumulate(Acc acc, Query q, const std::int8_t* row) {
      const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(row));
      const __m256i pairs = _mm256_maddubs_epi16(q.magnitude, _mm256_sign_epi8(bytes, q.sign));
      return _mm256_add_epi32(acc, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
    }
    static Eight scores(const Acc* acc, const Int8Rows& rows, std::size_t first, std::size_t valid, float queryScale) {
      const __m256i pairs01 = _mm256_hadd_epi32(acc[0], acc[1]), pairs23 = _mm256_hadd_epi32(acc[2], acc[3]);
      const __m256i pairs45 = _mm256_hadd_epi32(acc[4], acc[5]), pairs67 = _mm256_hadd_epi32(acc[6], acc[7]);
      const __m256i low = _mm256_hadd_epi32(pairs01, pairs23), high = _mm256_hadd_epi32(pairs45, pairs67);
      const __m256i sums = _mm256_add_epi32(_mm256_permute2x128_si256(low, high, 0x20),
                                            _mm256_permute2x128_si256(low, high, 0x31));
      alignas(32) float scales[8] = {};
      std::memcpy(scales, rows.scales + first, valid * sizeof(float));
      return mul(mul(_mm256_cvtepi32_ps(sums), _mm256_load_ps(scales)), broadcast(queryScale));
    }
  };

  using Bf16Batch = WidenedBf16Batch<Avx2>;
  using Int8Batch = WidenedInt8Batch<Avx2>;
  // 12 accumulators, 2 registers of queries, 1 of a row word: 15 of 16.
  static constexpr std::size_t kBatchRows = 6;
  static constexpr std::size_t kBatchVectors = 2;
  static constexpr std::size_t kManyQueryRows = 2;
  static unsigned atLeast(Float v, const float* thresholds) {
    return static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(v, load(thresholds), _CMP_GE_OQ)));
  }
};

}  // namespace
}  // namespace ontomem::kernels
