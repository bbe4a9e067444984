// Two-layer perceptrons in the packed form that the forward kernel reads.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ontomem::kernels {

/// Activation of the output layer; the hidden layer is always ReLU.
enum class Activation : std::uint8_t { linear, sigmoid };

struct MlpShape {
  std::size_t inputs;
  std::size_t hidden;
  std::size_t outputs;
};

/// Hidden units a tile: one tile's weights are contiguous, padded with zero units.
inline constexpr std::size_t kMlpTile = 32;

constexpr std::size_t mlpTiles(const MlpShape& shape) {
  return (shape.hidden + kMlpTile - 1) / kMlpTile;
}

/// Floats that `packMlp` writes: first layer [tile][1 + inputs][kMlpTile] (bias first), then second
/// layer [outputs][tiles * kMlpTile], then output biases [outputs].
constexpr std::size_t packedMlpFloats(const MlpShape& shape) {
  return mlpTiles(shape) * kMlpTile * (1 + shape.inputs + shape.outputs) + shape.outputs;
}

/// Rearranges weights for `Kernels::mlpForward`. Shapes: hiddenWeights [hidden][inputs],
/// hiddenBias [hidden], outputWeights [outputs][hidden], outputBias [outputs].
/// `packed` holds packedMlpFloats(shape) floats; 64-byte alignment is faster, not required.
void packMlp(const MlpShape& shape, const float* hiddenWeights, const float* hiddenBias,
             const float* outputWeights, const float* outputBias, float* packed);

struct PackedMlp {
  MlpShape shape;
  Activation output;
  const float* weights;
};

}  // namespace ontomem::kernels
