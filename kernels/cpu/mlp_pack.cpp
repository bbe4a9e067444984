// Rearranges two-layer perceptron weights into the tiles that the forward kernels read.
#include "ontomem/mlp.hpp"

namespace ontomem::kernels {

void packMlp(const MlpShape& shape, const float* hiddenWeights, const float* hiddenBias,
             const float* outputWeights, const float* outputBias, float* packed) {
  const std::size_t paddedHidden = mlpTiles(shape) * kMlpTile;
  for (std::size_t firstUnit = 0; firstUnit < paddedHidden; firstUnit += kMlpTile) {
    for (std::size_t lane = 0; lane < kMlpTile; ++lane) {
      const std::size_t unit = firstUnit + lane;
      packed[lane] = unit < shape.hidden ? hiddenBias[unit] : 0.0f;
    }
    packed += kMlpTile;
    for (std::size_t input = 0; input < shape.inputs; ++input, packed += kMlpTile) {
      for (std::size_t lane = 0; lane < kMlpTile; ++lane) {
        const std::size_t unit = firstUnit + lane;
        packed[lane] = unit < shape.hidden ? hiddenWeights[unit * shape.inputs + input] : 0.0f;
      }
    }
  }
  for (std::size_t output = 0; output < shape.outputs; ++output) {
    for (std::size_t unit = 0; unit < paddedHidden; ++unit) {
      *packed++ = unit < shape.hidden ? outputWeights[output * shape.hidden + unit] : 0.0f;
    }
  }
  for (std::size_t output = 0; output < shape.outputs; ++output) *packed++ = outputBias[output];
}

}  // namespace ontomem::kernels
