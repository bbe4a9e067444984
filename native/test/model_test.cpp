// Scorers and query maps: what they compute, what is refused, and that they are swapped whole.
#include <cmath>
#include <random>

#include "expect.hpp"
#include "small_shard.hpp"

namespace ontomem::test {
namespace {

std::vector<float> randomFloats(std::size_t count, std::mt19937& random) {
  std::normal_distribution<float> normal(0, 0.3f);
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

/// The first output, written out.
double forward(const std::vector<float>& weights, const kernels::MlpShape& shape, const std::vector<float>& inputs) {
  const float* const hiddenBias = weights.data() + shape.hidden * shape.inputs;
  const float* const outputWeights = hiddenBias + shape.hidden;
  double output = outputWeights[shape.outputs * shape.hidden];
  for (std::size_t unit = 0; unit < shape.hidden; ++unit) {
    double sum = hiddenBias[unit];
    for (std::size_t i = 0; i < shape.inputs; ++i) sum += double(weights[unit * shape.inputs + i]) * inputs[i];
    output += std::max(0.0, sum) * outputWeights[unit];
  }
  return output;
}

void theScorerOrdersCandidatesByTheirFeatures() {
  std::mt19937 random(3);
  Shard shard(4, VectorFormat::f32);
  Row previous = kNoRow;
  for (std::uint32_t i = 0; i < 20; ++i) {
    previous = append(shard, {randomFloats(4, random), double(i), i / 5, i % 5 == 0 ? kNoRow : previous, {i % 3}});
  }
  constexpr std::size_t kQueryFeatures = 5;
  for (const std::size_t hidden : {1, 32, 70}) {
    const kernels::MlpShape shape{feature::count + kQueryFeatures, hidden, 2};
    const std::vector<float> weights = randomFloats(hidden * (shape.inputs + 1) + 2 * (hidden + 1), random);
    std::uint32_t slot = 0;
    EXPECT(loadPerceptron("test scorer", weights, shape, kernels::Activation::linear, slot).ok(), "it loads");
    Ask ask;
    ask.view(randomFloats(4, random));
    ask.term(1);
    ask.queryFeatures = randomFloats(kQueryFeatures, random);
    ask.parameters.scorer = slot;
    ask.parameters.scorerWeight = 1;
    EXPECT(ask.of(shard).ok() && ask.rows.size() == 20, "and scores every candidate");
    for (std::size_t i = 0; i < ask.rows.size(); ++i) {
      std::vector<float> inputs(ask.features.begin() + static_cast<std::ptrdiff_t>(i * feature::count),
                                ask.features.begin() + static_cast<std::ptrdiff_t>((i + 1) * feature::count));
      inputs.insert(inputs.end(), ask.queryFeatures.begin(), ask.queryFeatures.end());
      const double score = 1 / (1 + std::exp(-forward(weights, shape, inputs)));
      EXPECT(std::abs(ask.scores[i] - score) < 1e-4, "by its own features, then the question's");
    }
    ask.queryFeatures.pop_back();
    EXPECT(ask.of(shard).status == Status::badArgument, "another number of inputs is refused");
  }
}

void aNameKeepsItsHandle() {
  const std::vector<float> weights(2 * 3 + 3 + 3 + 1, 0.5f);
  std::uint32_t first = 0, again = 1, other = 0;
  EXPECT(loadPerceptron("kept", weights, {2, 3, 1}, kernels::Activation::sigmoid, first).ok(), "loaded");
  EXPECT(loadPerceptron("kept", weights, {2, 3, 1}, kernels::Activation::sigmoid, again).ok(), "loaded again");
  EXPECT(loadPerceptron("another", weights, {2, 3, 1}, kernels::Activation::sigmoid, other).ok(), "another");
  EXPECT(first == again && first != other, "the same name has the same handle");
  std::vector<float> broken = weights;
  broken[4] = std::nanf("");
  EXPECT(loadPerceptron("kept", broken, {2, 3, 1}, kernels::Activation::sigmoid, again).status == Status::notFinite, "NaN");
  EXPECT(loadPerceptron("kept", weights, {2, 4, 1}, kernels::Activation::sigmoid, again).status == Status::badArgument, "shape");
  EpochDomain::process().reclaim();
}

void aMapAddsAView() {
  Shard shard(2, VectorFormat::f32);
  const Row right = append(shard, {{1, 0}, 0});
  const Row up = append(shard, {{0, 1}, 1});
  append(shard, {{-1, 0}, 2});
  const std::vector<float> quarterTurn{0, -3, 3, 0};
  std::uint32_t slot = 0;
  EXPECT(loadMaps("turn", quarterTurn, 2, slot).ok(), "it loads");
  Ask ask;
  ask.view({1, 0}, 0);
  ask.viewWeights.push_back(1);
  ask.parameters.maps = slot;
  EXPECT(ask.of(shard).ok() && ask.rows[0] == up, "the mapped question finds another turn");
  EXPECT(std::abs(ask.featureOf(up, feature::dense1) - 1) < 1e-5f, "and is scaled to unit length");
  EXPECT(ask.featureOf(right, feature::dense0) == 1, "beside the question as it was");
  ask.viewWeights.pop_back();
  EXPECT(ask.of(shard).status == Status::badArgument, "a view without a weight is refused");
  EXPECT(loadMaps("turn", {quarterTurn.data(), 3}, 2, slot).status == Status::badArgument, "half a map is refused");
  Shard wide(3, VectorFormat::f32);
  append(wide, {{1, 0, 0}});
  Ask other;
  other.view({1, 0, 0});
  other.viewWeights.push_back(1);
  other.parameters.maps = slot;
  EXPECT(other.of(wide).status == Status::badArgument, "a map of another dimension is refused");
}

}  // namespace
}  // namespace ontomem::test

int main() {
  using namespace ontomem::test;
  theScorerOrdersCandidatesByTheirFeatures();
  aNameKeepsItsHandle();
  aMapAddsAView();
  return tally().report("model");
}
