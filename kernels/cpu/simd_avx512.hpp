// AVX-512 with VNNI and BF16: 16 lanes. The interface is described in simd_scalar.hpp.
#pragma once

#include <immintrin.h>

#include "portable-inl.hpp"

namespace ontomem::kernels {
namespace {

struct Avx512 {
  using Float = __m512;
  static constexpr std::size_t kLanes = 16;
  static Float zero() { return _mm512_setzero_ps(); }
  static Float load(const float* p) { return _mm512_loadu_ps(p); }
  static void store(float* p, Float v) { _mm512_storeu_ps(p, v); }
  static Float broadcast(float v) { return _mm512_set1_ps(v); }
  static Float fma(Float a, Float b, Float c) { return _mm512_fmadd_ps(a, b, c); }
  static Float add(Float a, Float b) { return _mm512_add_ps(a, b); }
  static Float mul(Float a, Float b) { return _mm512_mul_ps(a, b); }
  static Float max(Float a, Float b) { return _mm512_max_ps(a, b); }
  static Float magnitude(Float a) { return _mm512_abs_ps(a); }
  static float sum(Float v) { return _mm512_reduce_add_ps(v); }

  using Eight = __m256;
  static Eight eightZero() { return _mm256_setzero_ps(); }
  static Eight eightBroadcast(float v) { return _mm256_set1_ps(v); }
  static Eight eightLoad(const float* p) { return _mm256_loadu_ps(p); }
  static void eightStore(float* p, Eight v) { _mm256_storeu_ps(p, v); }
  static Eight eightAdd(Eight a, Eight b) { return _mm256_add_ps(a, b); }
  static Eight eightFma(Eight a, Eight b, Eight c) { return _mm256_fmadd_ps(a, b, c); }
  static Eight eightMax(Eight a, Eight b) { return _mm256_max_ps(a, b); }
  static unsigned eightAtLeast(Eight v, float threshold) {
    return _mm256_cmp_ps_mask(v, _mm256_set1_ps(threshold), _CMP_GE_OQ);
  }
  static Eight sum8(const __m256* acc) {
    const __m256 pairs01 = _mm256_hadd_ps(acc[0], acc[1]), pairs23 = _mm256_hadd_ps(acc[2], acc[3]);
    const __m256 pairs45 = _mm256_hadd_ps(acc[4], acc[5]), pairs67 = _mm256_hadd_ps(acc[6], acc[7]);
    const __m256 low = _mm256_hadd_ps(pairs01, pairs23), high = _mm256_hadd_ps(pairs45, pairs67);
    return _mm256_add_ps(_mm256_permute2f128_ps(low, high, 0x20), _mm256_permute2f128_ps(low, high, 0x31));
  }

  static Eight sum8(const __m512* acc) {
    __m256 halves[8];
    for (int i = 0; i < 8; ++i) {
      halves[i] = _mm256_add_ps(_mm512_castps512_ps256(acc[i]), _mm512_extractf32x8_ps(acc[i], 1));
    }
    return sum8(halves);
  }

  /// One query is bound by loads, not by products: where a CPU reads 512 bits in two halves, 256-bit
  /// registers read as fast, and their sums need one step less (Zen 4, L2, 384-d: .90 of the streaming
  /// read against .80 with 512 bits).
  struct F32Dot : F32Format {
    using Acc = __m256;
    using Query = __m256;
    static constexpr std::size_t kStep = 8;
    static void prepare(const float* query, std::size_t dimension, PreparedQuery& out) {
      copyPadded<Avx512>(query, dimension, out.f32);
    }
    static Acc zero() { return _mm256_setzero_ps(); }
    static Acc add(Acc a, Acc b) { return _mm256_add_ps(a, b); }
    static Query load(const PreparedQuery& q, std::size_t i) { return _mm256_load_ps(q.f32 + i); }
    static Acc accumulate(Acc acc, Query q, const float* row) { return _mm256_fmadd_ps(q, _mm256_loadu_ps(row), acc); }
    static Eight scores(const Acc* acc, const F32Rows&, std::size_t, std::size_t, float) { return sum8(acc); }
  };

  /// For CPUs that read 512 bits at once (Sapphire Rapids, L2, 384-d: .77 of the streaming read against .61).
  struct WideF32Dot : F32Format {
    using Acc = __m512;
    using Query = __m512;
    static constexpr std::size_t kStep = 16;
    static void prepare(const float* query, std::size_t dimension, PreparedQuery& out) {
      copyPadded<Avx512>(query, dimension, out.f32);
    }
    static Acc zero() { return _mm512_setzero_ps(); }
    static Acc add(Acc a, Acc b) { return _mm512_add_ps(a, b); }
    static Query load(const PreparedQuery& q, std::size_t i) { return _mm512_load_ps(q.f32 + i); }
    static Acc accumulate(Acc acc, Query q, const float* row) { return _mm512_fmadd_ps(q, _mm512_loadu_ps(row), acc); }
    static Eight scores(const Acc* acc, const F32Rows&, std::size_t, std::size_t, float) { return sum8(acc); }
  };

  // GCC 12 copies the accumulator around these two destructive instructions and spills it in every
  // iteration (136 us against 75 for a batch of int8): it is told the register constraint itself.
  template <class Acc, class Bits>
  static ONTOMEM_INLINE Acc multiplyBf16(Acc acc, Bits left, Bits right) {
#if defined(__GNUC__) && !defined(__clang__)
    asm("vdpbf16ps %2, %1, %0" : "+v"(acc) : "v"(left), "vm"(right));
    return acc;
#else
    if constexpr (sizeof(Acc) == 64) return _mm512_dpbf16_ps(acc, (__m512bh)left, (__m512bh)right);
    else return _mm256_dpbf16_ps(acc, (__m256bh)left, (__m256bh)right);
#endif
  }
  template <class Bits>
  static ONTOMEM_INLINE Bits multiplyInt8(Bits acc, Bits unsignedBytes, Bits signedBytes) {
#if defined(__GNUC__) && !defined(__clang__)
    asm("vpdpbusd %2, %1, %0" : "+v"(acc) : "v"(unsignedBytes), "vm"(signedBytes));
    return acc;
#else
    if constexpr (sizeof(Bits) == 64) return _mm512_dpbusd_epi32(acc, unsignedBytes, signedBytes);
    else return _mm256_dpbusd_epi32(acc, unsignedBytes, signedBytes);
#endif
  }
  static __m256i load256(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }

  struct Bf16Dot : Bf16Format {
    using Acc = __m256;
    using Query = __m256i;
    static constexpr std::size_t kStep = 16;
    static void prepare(const float* query, std::size_t dimension, PreparedQuery& out) {
      const std::size_t padded = paddedDimension(Format::bf16, dimension);
      for (std::size_t i = 0; i < dimension; ++i) out.bf16[i] = toBf16(query[i]);
      std::memset(out.bf16 + dimension, 0, (padded - dimension) * sizeof(std::uint16_t));
    }
    static Acc zero() { return _mm256_setzero_ps(); }
    static Acc add(Acc a, Acc b) { return _mm256_add_ps(a, b); }
    static Query load(const PreparedQuery& q, std::size_t i) { return load256(q.bf16 + i); }
    static Acc accumulate(Acc acc, Query q, const std::uint16_t* row) { return multiplyBf16(acc, q, load256(row)); }
    static Eight scores(const Acc* acc, const Bf16Rows&, std::size_t, std::size_t, float) { return sum8(acc); }
  };

  /// The query unrounded, in f32: sixteen bf16 are eight words, whose low halves are the even elements.
  /// The query lies as eight even elements, then eight odd ones.
  struct ExactBf16Dot : Bf16Format {
    using Acc = __m256;
    struct Query {
      __m256 even, odd;
    };
    static constexpr std::size_t kStep = 16;
    static void prepare(const float* query, std::size_t dimension, PreparedQuery& out) {
      prepareEvenOdd<8>(query, dimension, out);
    }
    static Acc zero() { return _mm256_setzero_ps(); }
    static Acc add(Acc a, Acc b) { return _mm256_add_ps(a, b); }
    static Query load(const PreparedQuery& q, std::size_t i) {
      return {_mm256_load_ps(q.f32 + i), _mm256_load_ps(q.f32 + i + 8)};
    }
    static Acc accumulate(Acc acc, Query q, const std::uint16_t* row) {
      const __m256i words = load256(row);
      const __m256 even = _mm256_castsi256_ps(_mm256_slli_epi32(words, 16));
      const __m256 odd = _mm256_castsi256_ps(_mm256_and_si256(words, _mm256_set1_epi32(-65536)));
      return _mm256_fmadd_ps(q.odd, odd, _mm256_fmadd_ps(q.even, even, acc));
    }
    static Eight scores(const Acc* acc, const Bf16Rows&, std::size_t, std::size_t, float) { return sum8(acc); }
  };

  /// vpdpbusd wants unsigned bytes on one side: the query is stored as q + 128, and 128 times the
  /// row's sum is taken off at the end.
  struct Int8Dot : Int8Format {
    using Acc = __m256i;
    using Query = __m256i;
    static constexpr std::size_t kStep = 32;
    static void prepare(const float* query, std::size_t dimension, PreparedQuery& out) {
      std::int32_t unusedSum;
      quantiseRowInt8<Avx512>(query, dimension, out.int8, out.scale, unusedSum);
      const std::size_t padded = paddedDimension(Format::int8, dimension);
      for (std::size_t i = 0; i < padded; ++i) out.unsigned8[i] = static_cast<std::uint8_t>(out.int8[i] ^ 0x80);
    }
    static Acc zero() { return _mm256_setzero_si256(); }
    static Acc add(Acc a, Acc b) { return _mm256_add_epi32(a, b); }
    static Query load(const PreparedQuery& q, std::size_t i) { return load256(q.unsigned8 + i); }
    static Acc accumulate(Acc acc, Query q, const std::int8_t* row) { return multiplyInt8(acc, q, load256(row)); }
    static Eight scores(const Acc* acc, const Int8Rows& rows, std::size_t first, std::size_t valid, float queryScale) {
      const __mmask8 present = static_cast<__mmask8>(0xffu >> (8 - valid));
      const __m256i rowSums = _mm256_maskz_loadu_epi32(present, rows.sums + first);
      const __m256 scales = _mm256_maskz_loadu_ps(present, rows.scales + first);
      const __m256i products = _mm256_sub_epi32(sum8(acc), _mm256_slli_epi32(rowSums, 7));
      return _mm256_mul_ps(_mm256_mul_ps(_mm256_cvtepi32_ps(products), scales), _mm256_set1_ps(queryScale));
    }
    static __m256i sum8(const Acc* acc) {
      const __m256i pairs01 = _mm256_hadd_epi32(acc[0], acc[1]), pairs23 = _mm256_hadd_epi32(acc[2], acc[3]);
      const __m256i pairs45 = _mm256_hadd_epi32(acc[4], acc[5]), pairs67 = _mm256_hadd_epi32(acc[6], acc[7]);
      const __m256i low = _mm256_hadd_epi32(pairs01, pairs23), high = _mm256_hadd_epi32(pairs45, pairs67);
      return _mm256_add_epi32(_mm256_permute2x128_si256(low, high, 0x20), _mm256_permute2x128_si256(low, high, 0x31));
    }
  };

  /// Rows of 32-bit words as they lie in memory; a word is two bf16 or four int8.
  template <class Format_>
  struct WordBatch : Format_ {
    using Word = std::uint32_t;
    using Query = __m512i;
    static constexpr std::size_t kLanes = 16;
    static constexpr std::size_t kStep = sizeof(Word) / sizeof(typename Format_::Element);
    static constexpr bool kPrefetch = true;

    template <std::size_t kRows>
    class Block {
     public:
      Block(const typename Format_::Rows& rows, std::size_t first)
          : words_(reinterpret_cast<const Word*>(rows.data + first * rows.stride)), stride_(rows.stride / kStep) {}
      const Word* words() const { return words_; }
      std::size_t stride() const { return stride_; }

     private:
      const Word* words_;
      std::size_t stride_;
    };

    static Query load(const Word* words) { return _mm512_loadu_si512(words); }
    static Query broadcast(const Word* word) {
      int value;
      std::memcpy(&value, word, sizeof value);
      return _mm512_set1_epi32(value);
    }
  };

  struct Bf16Batch : WordBatch<Bf16Format> {
    using Acc = __m512;
    static Acc zero() { return Avx512::zero(); }
    static Acc accumulate(Acc acc, Query query, Query word) { return multiplyBf16(acc, query, word); }
    static Float scores(Acc acc, const Bf16Rows&, std::size_t, const float*) { return acc; }
    static const char* prepareWords(const float* query, std::size_t dimension, PreparedQuery& prepared) {
      Bf16Dot::prepare(query, dimension, prepared);
      return reinterpret_cast<const char*>(prepared.bf16);
    }
  };

  struct Int8Batch : WordBatch<Int8Format> {
    using Acc = __m512i;
    static Acc zero() { return _mm512_setzero_si512(); }
    static Acc accumulate(Acc acc, Query query, Query word) { return multiplyInt8(acc, query, word); }
    static Float scores(Acc acc, const Int8Rows& rows, std::size_t row, const float* queryScales) {
      const __m512i products = _mm512_sub_epi32(acc, _mm512_set1_epi32(128 * rows.sums[row]));
      return mul(mul(_mm512_cvtepi32_ps(products), Avx512::broadcast(rows.scales[row])), Avx512::load(queryScales));
    }
    static const char* prepareWords(const float* query, std::size_t dimension, PreparedQuery& prepared) {
      Int8Dot::prepare(query, dimension, prepared);
      return reinterpret_cast<const char*>(prepared.unsigned8);
    }
  };

  // 24 accumulators, 2 registers of queries, 1 of a row word: 27 of 32.
  static constexpr std::size_t kBatchRows = 12;
  static constexpr std::size_t kBatchVectors = 2;
  static constexpr std::size_t kManyQueryRows = 4;
  static unsigned atLeast(Float v, const float* thresholds) {
    return _mm512_cmp_ps_mask(v, load(thresholds), _CMP_GE_OQ);
  }
};

}  // namespace
}  // namespace ontomem::kernels
