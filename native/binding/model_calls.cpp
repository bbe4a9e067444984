// Learned parts: loading them, and running one outside a recall.
#include "call.hpp"
#include "calls.hpp"
#include "ontomem/cuda.hpp"
#include "ontomem/models.hpp"

namespace ontomem::binding {
namespace {

Outcome loadModel(Environment&, Arguments& arguments, double& result) {
  const std::string name = arguments.text("name: not a string");
  const auto weights = arguments.array<float>("weights: not a Float32Array");
  kernels::MlpShape shape{};
  shape.inputs = arguments.whole("inputs: not a whole number");
  shape.hidden = arguments.whole("hidden: not a whole number");
  shape.outputs = arguments.whole("outputs: not a whole number");
  const std::string activation = arguments.text("activation: not a string");
  if (!arguments.problem().ok()) return arguments.problem();
  if (activation != "linear" && activation != "sigmoid") return badArgument("activation: not linear or sigmoid");
  std::uint32_t slot = 0;
  const Outcome outcome = loadPerceptron(
      name, weights, shape,
      activation == "linear" ? kernels::Activation::linear : kernels::Activation::sigmoid, slot);
  EpochDomain::process().reclaim();
  result = slot;
  return outcome;
}

Outcome loadMapsCall(Environment&, Arguments& arguments, double& result) {
  const std::string name = arguments.text("name: not a string");
  const auto weights = arguments.array<float>("maps: not a Float32Array");
  const auto dimension = arguments.whole("dimension: not a whole number");
  if (!arguments.problem().ok()) return arguments.problem();
  std::uint32_t slot = 0;
  const Outcome outcome = loadMaps(name, weights, dimension, slot);
  EpochDomain::process().reclaim();
  result = slot;
  return outcome;
}

Outcome forward(Environment& environment, Arguments& arguments, double&) {
  const double slot = arguments.number("model: not a handle");
  const auto inputs = arguments.array<float>("inputs: not a Float32Array");
  const auto out = arguments.array<float>("out: not a Float32Array");
  if (!arguments.problem().ok()) return arguments.problem();
  const Pin pin(environment.slot);
  const Perceptron* const perceptron = Perceptrons::process().find(slot);
  if (!perceptron) return badArgument("model: not loaded");
  const kernels::MlpShape& shape = perceptron->packed.shape;
  if (inputs.size() % shape.inputs != 0) return badArgument("inputs: not whole rows of the model");
  const std::size_t count = inputs.size() / shape.inputs;
  if (out.size() < count * shape.outputs) return badArgument("out: too short");
  if (!kernels::active().allFinite(inputs.data(), inputs.size())) return {Status::notFinite, "inputs: not finite"};
  kernels::active().mlpForward(perceptron->packed, inputs.data(), shape.inputs, count, out.data());
  return {};
}

/// A number of cuda::Status.
Outcome cudaStatus(Environment&, Arguments&, double& result) {
  result = static_cast<double>(cuda::deviceStatus());
  return {};
}

constexpr NamedCall kCalls[] = {
    {"loadModel", numberCall<loadModel>},
    {"loadMaps", numberCall<loadMapsCall>},
    {"forward", numberCall<forward>},
    {"cudaStatus", numberCall<cudaStatus>},
};

}  // namespace

std::span<const NamedCall> modelCalls() { return kCalls; }

}  // namespace ontomem::binding
