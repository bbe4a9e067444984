// The portable instruction set: one lane, plain C++. The interface every simd_*.hpp offers:
//
//   Float               one register of f32 lanes; zero load store broadcast fma(a, b, c) = a * b + c
//                       add mul max sum
//   Eight               eight f32 scores, one a row; see the functions below
//   F32Dot Bf16Dot Int8Dot
//                       how one step of a row meets one step of a prepared query: Element, Rows, Acc,
//                       Query, kStep elements; prepare zero load accumulate add scores
//   kBatchRows, kBatchVectors
//                       register tile of the batched form: rows x vectors of query columns
//   kManyQueryRows      rows that meet four queries at once with every sum in a register
//
// Each Simd type lies in an anonymous namespace, so that whatever is instantiated with it stays local
// to its translation unit: the linker can never merge code built for another instruction set.
#pragma once

#include "batch_f32-inl.hpp"

namespace ontomem::kernels {
namespace {

struct Scalar {
  using Float = float;
  static constexpr std::size_t kLanes = 1;
  static Float zero() { return 0.0f; }
  static Float load(const float* p) { return *p; }
  static void store(float* p, Float v) { *p = v; }
  static Float broadcast(float v) { return v; }
  static Float fma(Float a, Float b, Float c) { return a * b + c; }
  static Float add(Float a, Float b) { return a + b; }
  static Float mul(Float a, Float b) { return a * b; }
  static Float max(Float a, Float b) { return a > b ? a : b; }
  static Float magnitude(Float a) { return a < 0 ? -a : a; }
  static float sum(Float v) { return v; }

  struct Eight {
    float lane[8];
  };
  static Eight eightZero() { return {}; }
  static Eight eightBroadcast(float v) { return {{v, v, v, v, v, v, v, v}}; }
  static Eight eightLoad(const float* p) {
    Eight out;
    std::memcpy(out.lane, p, sizeof out.lane);
    return out;
  }
  static void eightStore(float* p, Eight v) {
    for (int i = 0; i < 8; ++i) p[i] = v.lane[i];
  }
  static Eight eightAdd(Eight a, Eight b) {
    for (int i = 0; i < 8; ++i) a.lane[i] += b.lane[i];
    return a;
  }
  static Eight eightFma(Eight a, Eight b, Eight c) {
    for (int i = 0; i < 8; ++i) c.lane[i] += a.lane[i] * b.lane[i];
    return c;
  }
  static Eight eightMax(Eight a, Eight b) {
    for (int i = 0; i < 8; ++i) a.lane[i] = max(a.lane[i], b.lane[i]);
    return a;
  }
  /// Bit i is set when lane i >= threshold.
  static unsigned eightAtLeast(Eight v, float threshold) {
    unsigned mask = 0;
    for (unsigned i = 0; i < 8; ++i) mask |= static_cast<unsigned>(v.lane[i] >= threshold) << i;
    return mask;
  }
  /// Horizontal sums of eight accumulators.
  static Eight sum8(const Float* acc) {
    Eight out;
    for (int i = 0; i < 8; ++i) out.lane[i] = acc[i];
    return out;
  }

  struct F32Dot : F32Format {
    using Acc = float;
    using Query = float;
    static constexpr std::size_t kStep = 1;
    static void prepare(const float* query, std::size_t dimension, PreparedQuery& out) {
      copyPadded<Scalar>(query, dimension, out.f32);
    }
    static Acc zero() { return 0.0f; }
    static Acc add(Acc a, Acc b) { return a + b; }
    static Query load(const PreparedQuery& q, std::size_t i) { return q.f32[i]; }
    static Acc accumulate(Acc acc, Query q, const float* row) { return acc + q * *row; }
    static Eight scores(const Acc* acc, const F32Rows&, std::size_t, std::size_t, float) { return sum8(acc); }
  };

  struct Bf16Dot : Bf16Format {
    using Acc = float;
    using Query = float;
    static constexpr std::size_t kStep = 1;
    static void prepare(const float* query, std::size_t dimension, PreparedQuery& out) {
      copyPadded<Scalar>(query, dimension, out.f32);
      for (std::size_t i = 0; i < dimension; ++i) out.f32[i] = fromBf16(toBf16(query[i]));
    }
    static Acc zero() { return 0.0f; }
    static Acc add(Acc a, Acc b) { return a + b; }
    static Query load(const PreparedQuery& q, std::size_t i) { return q.f32[i]; }
    static Acc accumulate(Acc acc, Query q, const std::uint16_t* row) { return acc + q * fromBf16(*row); }
    static Eight scores(const Acc* acc, const Bf16Rows&, std::size_t, std::size_t, float) { return sum8(acc); }
  };

  struct Int8Dot : Int8Format {
    using Acc = std::int32_t;
    using Query = std::int32_t;
    static constexpr std::size_t kStep = 1;
    static void prepare(const float* query, std::size_t dimension, PreparedQuery& out) {
      std::int32_t unusedSum;
      quantiseRowInt8<Scalar>(query, dimension, out.int8, out.scale, unusedSum);
    }
    static Acc zero() { return 0; }
    static Acc add(Acc a, Acc b) { return a + b; }
    static Query load(const PreparedQuery& q, std::size_t i) { return q.int8[i]; }
    static Acc accumulate(Acc acc, Query q, const std::int8_t* row) { return acc + q * *row; }
    static Eight scores(const Acc* acc, const Int8Rows& rows, std::size_t first, std::size_t valid, float queryScale) {
      Eight out{};
      for (std::size_t i = 0; i < valid; ++i) {
        out.lane[i] = static_cast<float>(acc[i]) * rows.scales[first + i] * queryScale;
      }
      return out;
    }
  };

  /// bf16 rows against the query as given: for rescoring.
  struct ExactBf16Dot : Bf16Dot {
    static void prepare(const float* query, std::size_t dimension, PreparedQuery& out) {
      copyPadded<Scalar>(query, dimension, out.f32);
    }
  };

  using Bf16Batch = WidenedBf16Batch<Scalar>;
  using Int8Batch = WidenedInt8Batch<Scalar>;
  static constexpr std::size_t kBatchRows = 2;
  static constexpr std::size_t kBatchVectors = 8;
  static constexpr std::size_t kManyQueryRows = 2;
  static unsigned atLeast(Float v, const float* thresholds) { return v >= *thresholds ? 1u : 0u; }
};

}  // namespace
}  // namespace ontomem::kernels
