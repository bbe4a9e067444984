// NEON (AArch64 baseline, no optional extensions): 4 lanes. The interface is described in simd_scalar.hpp.
#pragma once

#include <arm_neon.h>

#include "batch_f32-inl.hpp"

namespace ontomem::kernels {
namespace {

struct Neon {
  using Float = float32x4_t;
  static constexpr std::size_t kLanes = 4;
  static Float zero() { return vdupq_n_f32(0.0f); }
  static Float load(const float* p) { return vld1q_f32(p); }
  static void store(float* p, Float v) { vst1q_f32(p, v); }
  static Float broadcast(float v) { return vdupq_n_f32(v); }
  static Float fma(Float a, Float b, Float c) { return vfmaq_f32(c, a, b); }
  static Float add(Float a, Float b) { return vaddq_f32(a, b); }
  static Float mul(Float a, Float b) { return vmulq_f32(a, b); }
  static Float max(Float a, Float b) { return vmaxq_f32(a, b); }
  static Float magnitude(Float a) { return vabsq_f32(a); }
  static float sum(Float v) { return vaddvq_f32(v); }

  struct Eight {
    float32x4_t low, high;
  };
  static Eight eightZero() { return {zero(), zero()}; }
  static Eight eightBroadcast(float v) { return {broadcast(v), broadcast(v)}; }
  static Eight eightLoad(const float* p) { return {load(p), load(p + 4)}; }
  static void eightStore(float* p, Eight v) {
    store(p, v.low);
    store(p + 4, v.high);
  }
  static Eight eightAdd(Eight a, Eight b) { return {add(a.low, b.low), add(a.high, b.high)}; }
  static Eight eightFma(Eight a, Eight b, Eight c) { return {fma(a.low, b.low, c.low), fma(a.high, b.high, c.high)}; }
  static Eight eightMax(Eight a, Eight b) { return {max(a.low, b.low), max(a.high, b.high)}; }
  static unsigned eightAtLeast(Eight v, float threshold) {
    return laneMask(vcgeq_f32(v.low, broadcast(threshold))) | laneMask(vcgeq_f32(v.high, broadcast(threshold))) << 4;
  }
  static unsigned laneMask(uint32x4_t compared) {
    const std::uint32_t weights[4] = {1, 2, 4, 8};
    return vaddvq_u32(vandq_u32(compared, vld1q_u32(weights)));
  }
  static Eight sum8(const Float* acc) {
    return {vpaddq_f32(vpaddq_f32(acc[0], acc[1]), vpaddq_f32(acc[2], acc[3])),
            vpaddq_f32(vpaddq_f32(acc[4], acc[5]), vpaddq_f32(acc[6], acc[7]))};
  }

  struct F32Dot : F32Format {
    using Acc = float32x4_t;
    using Query = float32x4_t;
    static constexpr std::size_t kStep = 4;
    static void prepare(const float* query, std::size_t dimension, PreparedQuery& out) {
      copyPadded<Neon>(query, dimension, out.f32);
    }
    static Acc zero() { return Neon::zero(); }
    static Acc add(Acc a, Acc b) { return Neon::add(a, b); }
    static Query load(const PreparedQuery& q, std::size_t i) { return Neon::load(q.f32 + i); }
    static Acc accumulate(Acc acc, Query q, const float* row) { return fma(q, Neon::load(row), acc); }
    static Eight scores(const Acc* acc, const F32Rows&, std::size_t, std::size_t, float) { return sum8(acc); }
  };

  /// Eight bf16 widen to f32 by a shift of 16; the query is f32 in its own order.
  struct ExactBf16Dot : Bf16Format {
    using Acc = float32x4_t;
    struct Query {
      float32x4_t low, high;
    };
    static constexpr std::size_t kStep = 8;
    static void prepare(const float* query, std::size_t dimension, PreparedQuery& out) {
      copyPadded<Neon>(query, dimension, out.f32);
    }
    static Acc zero() { return Neon::zero(); }
    static Acc add(Acc a, Acc b) { return Neon::add(a, b); }
    static Query load(const PreparedQuery& q, std::size_t i) {
      return {Neon::load(q.f32 + i), Neon::load(q.f32 + i + 4)};
    }
    static Acc accumulate(Acc acc, Query q, const std::uint16_t* row) {
      const uint16x8_t halves = vld1q_u16(row);
      const float32x4_t low = vreinterpretq_f32_u32(vshll_n_u16(vget_low_u16(halves), 16));
      const float32x4_t high = vreinterpretq_f32_u32(vshll_high_n_u16(halves, 16));
      return fma(q.high, high, fma(q.low, low, acc));
    }
    static Eight scores(const Acc* acc, const Bf16Rows&, std::size_t, std::size_t, float) { return sum8(acc); }
  };

  struct Bf16Dot : ExactBf16Dot {
    static void prepare(const float* query, std::size_t dimension, PreparedQuery& out) {
      copyPadded<Neon>(query, dimension, out.f32);
      for (std::size_t i = 0; i < dimension; ++i) out.f32[i] = fromBf16(toBf16(query[i]));
    }
  };

  struct Int8Dot : Int8Format {
    using Acc = int32x4_t;
    using Query = int8x16_t;
    static constexpr std::size_t kStep = 16;
    static void prepare(const float* query, std::size_t dimension, PreparedQuery& out) {
      std::int32_t unusedSum;
      quantiseRowInt8<Neon>(query, dimension, out.int8, out.scale, unusedSum);
    }
    static Acc zero() { return vdupq_n_s32(0); }
    static Acc add(Acc a, Acc b) { return vaddq_s32(a, b); }
    static Query load(const PreparedQuery& q, std::size_t i) { return vld1q_s8(q.int8 + i); }
    static Acc accumulate(Acc acc, Query q, const std::int8_t* row) {
      const int8x16_t bytes = vld1q_s8(row);
      // Two products are at most 2 * 127 * 127 and fit 16 bits.
      const int16x8_t pairs = vmlal_s8(vmull_s8(vget_low_s8(q), vget_low_s8(bytes)), vget_high_s8(q), vget_high_s8(bytes));
      return vpadalq_s16(acc, pairs);
    }
    static Eight scores(const Acc* acc, const Int8Rows& rows, std::size_t first, std::size_t valid, float queryScale) {
      float scales[8] = {};
      std::memcpy(scales, rows.scales + first, valid * sizeof(float));
      const int32x4_t low = vpaddq_s32(vpaddq_s32(acc[0], acc[1]), vpaddq_s32(acc[2], acc[3]));
      const int32x4_t high = vpaddq_s32(vpaddq_s32(acc[4], acc[5]), vpaddq_s32(acc[6], acc[7]));
      return {mul(mul(vcvtq_f32_s32(low), Neon::load(scales)), broadcast(queryScale)),
              mul(mul(vcvtq_f32_s32(high), Neon::load(scales + 4)), broadcast(queryScale))};
    }
  };

  using Bf16Batch = WidenedBf16Batch<Neon>;
  using Int8Batch = WidenedInt8Batch<Neon>;
  // 24 accumulators, 4 registers of queries, 1 of a row word: 29 of 32.
  static constexpr std::size_t kBatchRows = 6;
  static constexpr std::size_t kBatchVectors = 4;
  static constexpr std::size_t kManyQueryRows = 4;
  static unsigned atLeast(Float v, const float* thresholds) { return laneMask(vcgeq_f32(v, load(thresholds))); }
};

}  // namespace
}  // namespace ontomem::kernels
