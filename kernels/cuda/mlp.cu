// Batched forward pass of a two-layer perceptron, from the packed weights that the CPU kernels read.
#include "device.hpp"

namespace ontomem::cuda {
namespace {

using kernels::kMlpTile;
using kernels::MlpShape;

constexpr unsigned kWarp = 32;
static_assert(kMlpTile == kWarp, "one tile of hidden units is one warp");
constexpr unsigned kRowsPerBlock = 8;

/// hidden[row][unit] = max(0, bias + weights . features). Block: a tile of units x kRowsPerBlock rows.
__global__ void hiddenLayer(const float* packed, MlpShape shape, const float* features, std::size_t featureStride,
                            std::size_t count, float* hidden) {
  const std::size_t row = static_cast<std::size_t>(blockIdx.x) * kRowsPerBlock + threadIdx.y;
  if (row >= count) return;
  const float* tile = packed + blockIdx.y * kMlpTile * (1 + shape.inputs) + threadIdx.x;
  float sum = tile[0];
  for (std::size_t input = 0; input < shape.inputs; ++input) {
    sum = fmaf(tile[(1 + input) * kMlpTile], features[row * featureStride + input], sum);
  }
  hidden[row * kernels::mlpTiles(shape) * kMlpTile + blockIdx.y * kMlpTile + threadIdx.x] = fmaxf(sum, 0.0f);
}

/// One warp an output of a row.
__global__ void outputLayer(const float* outputWeights, const float* outputBias, std::size_t paddedHidden,
                            std::size_t outputs, const float* hidden, std::size_t count, bool sigmoid, float* out) {
  const std::size_t at = static_cast<std::size_t>(blockIdx.x) * kRowsPerBlock + threadIdx.y;
  if (at >= count * outputs) return;
  const std::size_t row = at / outputs, output = at % outputs;
  float sum = 0.0f;
  for (std::size_t unit = threadIdx.x; unit < paddedHidden; unit += kWarp) {
    sum = fmaf(outputWeights[output * paddedHidden + unit], hidden[row * paddedHidden + unit], sum);
  }
  for (unsigned offset = kWarp / 2; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (threadIdx.x != 0) return;
  sum += outputBias[output];
  out[at] = sigmoid ? 1.0f / (1.0f + expf(-sum)) : sum;
}

}  // namespace

Status mlpForward(const kernels::PackedMlp& mlp, const float* features, std::size_t featureStride, std::size_t count,
                  float* out) {
  if (const Status status = deviceStatus(); status != Status::ok) return status;
  if (count == 0) return Status::ok;
  const MlpShape& shape = mlp.shape;
  const std::size_t paddedHidden = kernels::mlpTiles(shape) * kMlpTile;
  DeviceArray<float> weights, inputs, hidden, results;
  // The last row ends with its last feature.
  const std::size_t featureFloats = (count - 1) * featureStride + shape.inputs;
  if (const Status status = weights.fill(mlp.weights, kernels::packedMlpFloats(shape)); status != Status::ok) return status;
  if (const Status status = inputs.fill(features, featureFloats); status != Status::ok) return status;
  if (const Status status = hidden.allocate(count * paddedHidden); status != Status::ok) return status;
  if (const Status status = results.allocate(count * shape.outputs); status != Status::ok) return status;

  const dim3 threads(kWarp, kRowsPerBlock);
  const dim3 hiddenGrid(static_cast<unsigned>((count + kRowsPerBlock - 1) / kRowsPerBlock),
                        static_cast<unsigned>(kernels::mlpTiles(shape)));
  hiddenLayer<<<hiddenGrid, threads>>>(weights.get(), shape, inputs.get(), featureStride, count, hidden.get());
  const float* outputWeights = weights.get() + paddedHidden * (1 + shape.inputs);
  const std::size_t outputValues = count * shape.outputs;
  outputLayer<<<static_cast<unsigned>((outputValues + kRowsPerBlock - 1) / kRowsPerBlock), threads>>>(
      outputWeights, outputWeights + shape.outputs * paddedHidden, paddedHidden, shape.outputs, hidden.get(), count,
      mlp.output == kernels::Activation::sigmoid, results.get());
  if (const Status status = statusOf(cudaGetLastError()); status != Status::ok) return status;
  return results.read(out, outputValues);
}

}  // namespace ontomem::cuda
