#include "ontomem/models.hpp"

#include <algorithm>
#include <memory>

namespace ontomem {
namespace {

constexpr std::size_t kMostUnits = 65536;

bool isSane(std::size_t units) { return units >= 1 && units <= kMostUnits; }

}  // namespace

template <class T>
NamedSlots<T>& NamedSlots<T>::process() {
  static NamedSlots* const slots = new NamedSlots;
  return *slots;
}

template <class T>
Outcome NamedSlots<T>::publish(std::string_view name, std::unique_ptr<const T> value, std::uint32_t& slot) {
  const std::lock_guard guard(mutex_);
  const auto known = std::find(names_.begin(), names_.end(), name);
  if (known == names_.end()) {
    if (names_.size() == kSlots) return {Status::limitExceeded, "name: too many models in this process"};
    names_.emplace_back(name);
    slot = static_cast<std::uint32_t>(names_.size() - 1);
  } else {
    slot = static_cast<std::uint32_t>(known - names_.begin());
  }
  const T* const old = slots_[slot].exchange(value.release(), std::memory_order_seq_cst);
  if (old) EpochDomain::process().retire(old);
  return {};
}

template class NamedSlots<Perceptron>;
template class NamedSlots<QueryMaps>;

Outcome loadPerceptron(std::string_view name, std::span<const float> weights, const kernels::MlpShape& shape,
                       kernels::Activation output, std::uint32_t& slot) {
  if (!isSane(shape.inputs) || !isSane(shape.hidden) || !isSane(shape.outputs)) {
    return badArgument("shape: not within 1..65536");
  }
  const std::size_t hiddenWeights = shape.hidden * shape.inputs;
  const std::size_t outputWeights = shape.outputs * shape.hidden;
  if (weights.size() != hiddenWeights + shape.hidden + outputWeights + shape.outputs) {
    return badArgument("weights: length does not fit the shape");
  }
  if (!kernels::active().allFinite(weights.data(), weights.size())) {
    return {Status::notFinite, "weights: not finite"};
  }
  auto perceptron = std::make_unique<Perceptron>();
  float* const packed = perceptron->weights.ensure(kernels::packedMlpFloats(shape));
  const float* const hiddenBias = weights.data() + hiddenWeights;
  const float* const secondLayer = hiddenBias + shape.hidden;
  kernels::packMlp(shape, weights.data(), hiddenBias, secondLayer, secondLayer + outputWeights, packed);
  perceptron->packed = {shape, output, packed};
  return Perceptrons::process().publish(name, std::move(perceptron), slot);
}

kernels::PackedMlp foldInputs(const Perceptron& perceptron, std::span<const float> fixed,
                              Scratch<float>& weights) {
  const kernels::MlpShape& full = perceptron.packed.shape;
  const kernels::MlpShape own{full.inputs - fixed.size(), full.hidden, full.outputs};
  constexpr std::size_t kTile = kernels::kMlpTile;
  float* const folded = weights.ensure(kernels::packedMlpFloats(own));
  const float* from = perceptron.packed.weights;
  float* to = folded;
  for (std::size_t tile = 0; tile < kernels::mlpTiles(full); ++tile) {
    std::copy_n(from, (1 + own.inputs) * kTile, to);
    const float* column = from + (1 + own.inputs) * kTile;
    for (const float value : fixed) {
      for (std::size_t unit = 0; unit < kTile; ++unit) to[unit] += value * column[unit];
      column += kTile;
    }
    from += (1 + full.inputs) * kTile;
    to += (1 + own.inputs) * kTile;
  }
  std::copy_n(from, full.outputs * (kernels::mlpTiles(full) * kTile + 1), to);
  return {own, perceptron.packed.output, folded};
}

Outcome loadMaps(std::string_view name, std::span<const float> weights, std::size_t dimension,
                 std::uint32_t& slot) {
  if (dimension < 1 || dimension > kernels::kMaxDimension) return badArgument("dimension: out of range");
  const std::size_t count = weights.size() / (dimension * dimension);
  if (count < 1 || count >= kernels::kMaxScoreQueries || weights.size() != count * dimension * dimension) {
    return badArgument("maps: not 1 to 3 square matrices");
  }
  if (!kernels::active().allFinite(weights.data(), weights.size())) {
    return {Status::notFinite, "maps: not finite"};
  }
  auto maps = std::make_unique<QueryMaps>();
  maps->dimension = dimension;
  maps->count = count;
  maps->stride = kernels::paddedStride(kernels::Format::f32, dimension);
  float* const rows = maps->weights.ensure(count * dimension * maps->stride);
  kernels::active().padF32(weights.data(), dimension, count * dimension, dimension, rows, maps->stride);
  return MapSets::process().publish(name, std::move(maps), slot);
}

}  // namespace ontomem
