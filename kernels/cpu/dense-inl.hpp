// Small dense algebra: inner product, unit length, query maps, two-layer perceptrons, Eq. 1.
#pragma once

#include <math.h>

#include "batch-inl.hpp"
#include "batch_f32-inl.hpp"
#include "flat-inl.hpp"

namespace ontomem::kernels {
namespace {

template <class Simd>
float dot(const float* left, const float* right, std::size_t count) {
  constexpr std::size_t lanes = Simd::kLanes;
  typename Simd::Float even = Simd::zero(), odd = Simd::zero();
  std::size_t i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    even = Simd::fma(Simd::load(left + i), Simd::load(right + i), even);
    odd = Simd::fma(Simd::load(left + i + lanes), Simd::load(right + i + lanes), odd);
  }
  float total = Simd::sum(Simd::add(even, odd));
  for (; i < count; ++i) total += left[i] * right[i];
  return total;
}

template <class Simd>
float normalise(float* values, std::size_t count) {
  const float length = sqrtf(dot<Simd>(values, values, count));
  if (!(length > 0.0f)) return 0.0f;
  for (std::size_t i = 0; i < count; ++i) values[i] /= length;
  return length;
}

/// Writes eight results at a time and keeps nothing else.
template <class Simd>
struct StoreSink {
  float* out;

  ONTOMEM_INLINE void take(typename Simd::Eight results, std::size_t first, std::size_t valid) {
    if (valid == 8) {
      Simd::eightStore(out + first, results);
      return;
    }
    float lanes[8];
    Simd::eightStore(lanes, results);
    for (std::size_t i = 0; i < valid; ++i) out[first + i] = lanes[i];
  }
};

template <class Simd>
void mapQuery(const float* const* maps, std::size_t mapCount, std::size_t mapStride, std::size_t dimension,
              const float* query, float* out, std::size_t outStride) {
  PreparedQuery prepared;
  Simd::F32Dot::prepare(query, dimension, prepared);
  for (std::size_t m = 0; m < mapCount; ++m) {
    StoreSink<Simd> sink{out + m * outStride};
    scan<typename Simd::F32Dot>(F32Rows{maps[m], mapStride, dimension, dimension}, prepared, sink);
  }
}

/// Adds one tile of hidden units to the outputs of kRows feature rows.
template <class Simd, std::size_t kRows>
void addHiddenTile(const PackedMlp& mlp, std::size_t tile, const float* features, std::size_t featureStride,
                   float* out) {
  using Multiply = F32Multiply<Simd>;
  using Float = typename Simd::Float;
  constexpr std::size_t lanes = Simd::kLanes;
  constexpr std::size_t vectors = Simd::kBatchVectors;
  static_assert(kMlpTile == kMaxBatch && kMlpTile % (vectors * lanes) == 0);
  const MlpShape& shape = mlp.shape;
  const std::size_t paddedHidden = mlpTiles(shape) * kMlpTile;
  const float* bias = mlp.weights + tile * kMlpTile * (1 + shape.inputs);
  const float* outputWeights = mlp.weights + paddedHidden * (1 + shape.inputs) + tile * kMlpTile;

  float hidden[kRows][kMlpTile];
  for (std::size_t unit = 0; unit < kMlpTile; unit += vectors * lanes) {
    Float acc[kRows][vectors];
    for (std::size_t r = 0; r < kRows; ++r) {
      for (std::size_t v = 0; v < vectors; ++v) acc[r][v] = Simd::load(bias + unit + v * lanes);
    }
    multiplyTile<Multiply, kRows, vectors, false>(features, featureStride, bias + kMlpTile + unit, shape.inputs, acc);
    for (std::size_t r = 0; r < kRows; ++r) {
      for (std::size_t v = 0; v < vectors; ++v) {
        Simd::store(hidden[r] + unit + v * lanes, Simd::max(acc[r][v], Simd::zero()));
      }
    }
  }
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t output = 0; output < shape.outputs; ++output) {
      Float sum = Simd::zero();
      for (std::size_t unit = 0; unit < kMlpTile; unit += lanes) {
        sum = Simd::fma(Simd::load(hidden[r] + unit), Simd::load(outputWeights + output * paddedHidden + unit), sum);
      }
      out[r * shape.outputs + output] += Simd::sum(sum);
    }
  }
}

template <class Simd>
void mlpForward(const PackedMlp& mlp, const float* features, std::size_t featureStride, std::size_t count,
                float* out) {
  constexpr std::size_t block = Simd::kBatchRows;
  const MlpShape& shape = mlp.shape;
  const std::size_t tiles = mlpTiles(shape);
  const float* outputBias = mlp.weights + packedMlpFloats(shape) - shape.outputs;
  for (std::size_t i = 0; i < count * shape.outputs; ++i) out[i] = outputBias[i % shape.outputs];

  std::size_t row = 0;
  for (; row + block <= count; row += block) {
    for (std::size_t tile = 0; tile < tiles; ++tile) {
      addHiddenTile<Simd, block>(mlp, tile, features + row * featureStride, featureStride, out + row * shape.outputs);
    }
  }
  for (; row < count; ++row) {
    for (std::size_t tile = 0; tile < tiles; ++tile) {
      addHiddenTile<Simd, 1>(mlp, tile, features + row * featureStride, featureStride, out + row * shape.outputs);
    }
  }
  if (mlp.output == Activation::sigmoid) {
    for (std::size_t i = 0; i < count * shape.outputs; ++i) out[i] = 1.0f / (1.0f + expf(-out[i]));
  }
}

template <class Simd>
void fuseColumns(const float* const* columns, const float* weights, std::size_t columnCount, std::size_t count,
                 float* out) {
  std::size_t i = 0;
  for (; i + Simd::kLanes <= count; i += Simd::kLanes) {
    typename Simd::Float sum = Simd::zero();
    for (std::size_t c = 0; c < columnCount; ++c) {
      sum = Simd::fma(Simd::broadcast(weights[c]), Simd::load(columns[c] + i), sum);
    }
    Simd::store(out + i, sum);
  }
  for (; i < count; ++i) {
    float sum = 0.0f;
    for (std::size_t c = 0; c < columnCount; ++c) sum += weights[c] * columns[c][i];
    out[i] = sum;
  }
}

}  // namespace
}  // namespace ontomem::kernels
