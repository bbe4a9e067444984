// Learned parts: perceptrons and query maps, held by name for the process and swapped while queries run.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ontomem/epoch.hpp"
#include "ontomem/kernels.hpp"
#include "ontomem/scratch.hpp"
#include "ontomem/status.hpp"

namespace ontomem {

/// inputs -> hidden (ReLU) -> outputs, in the form the kernel reads.
struct Perceptron final : Reclaimable {
  kernels::PackedMlp packed{};
  Scratch<float> weights;
};

/// The perceptron as a function of its first inputs only, the last `fixed.size()` being the same for a whole
/// call: their part of the hidden layer is added to its bias once instead of once a candidate (192 inputs,
/// 43 of them a candidate's own, 64 candidates: 60 us become 16). `weights` receives the packed form.
/// O(packed size). Throws std::bad_alloc. Precondition fixed.size() < inputs.
kernels::PackedMlp foldInputs(const Perceptron& perceptron, std::span<const float> fixed,
                              Scratch<float>& weights);

/// `count` query maps of dimension x dimension, rows padded to whole lines.
struct QueryMaps final : Reclaimable {
  std::size_t dimension = 0;
  std::size_t count = 0;
  std::size_t stride = 0;
  Scratch<float> weights;

  const float* map(std::size_t index) const noexcept { return weights.data() + index * dimension * stride; }
};

/// Named slots of one kind. A name keeps its slot for the life of the process; loading it again swaps
/// the contents atomically, and readers that are pinned finish with what they began with.
template <class T>
class NamedSlots {
 public:
  static constexpr std::size_t kSlots = 256;

  /// Never destroyed: worker threads may still read while the process exits.
  static NamedSlots& process();

  /// Publishes `value` under `name` and tells its slot. Throws std::bad_alloc.
  Outcome publish(std::string_view name, std::unique_ptr<const T> value, std::uint32_t& slot);

  /// Null for a number that is no slot. Call under a Pin.
  const T* find(double slot) const noexcept {
    if (!(slot >= 0 && slot < kSlots)) return nullptr;
    return slots_[static_cast<std::size_t>(slot)].load(std::memory_order_seq_cst);
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> names_;
  std::array<std::atomic<const T*>, kSlots> slots_{};
};

using Perceptrons = NamedSlots<Perceptron>;
using MapSets = NamedSlots<QueryMaps>;

/// Loads a perceptron. weights: hiddenWeights [hidden][inputs], hiddenBias [hidden],
/// outputWeights [outputs][hidden], outputBias [outputs], in one array.
Outcome loadPerceptron(std::string_view name, std::span<const float> weights, const kernels::MlpShape& shape,
                       kernels::Activation output, std::uint32_t& slot);

/// Loads query maps. weights: [count][dimension][dimension], mapped = map * query.
Outcome loadMaps(std::string_view name, std::span<const float> weights, std::size_t dimension,
                 std::uint32_t& slot);

}  // namespace ontomem
