// The CUDA seat: right answers where a device is, an honest status where none is.
// Usage: kernels_cuda_test [cases]. Prints one JSON line, with "skipped" where nothing could run.
#include <cstdio>
#include <cstdlib>

#include "kernels_differential.hpp"
#include "ontomem/cuda.hpp"

namespace ontomem::kernels::test {
namespace {

/// Without a device every call must answer with the status, and touch nothing.
int refusesWithoutDevice(cuda::Status expected) {
  const float row[16] = {};
  cuda::Matrix* matrix = nullptr;
  int failures = cuda::upload({row, 16, 1, 16}, &matrix) != expected || matrix != nullptr;
  float weights[packedMlpFloats({1, 1, 1})] = {}, out = 7;
  failures += cuda::mlpForward({{1, 1, 1}, Activation::linear, weights}, row, 1, 1, &out) != expected || out != 7;
  return failures;
}

int checkSearch(std::uint64_t seed) {
  constexpr std::size_t kLargestCount = 3000;
  const Kernels& kernels = active();
  const Case c = makeCase(seed, kLargestCount);
  const Matrices m(kernels, c);
  Report report(kernels, seed);
  cuda::Matrix* matrix = nullptr;
  report.expect(cuda::upload(m.f32Rows, &matrix) == cuda::Status::ok, "upload");
  if (matrix == nullptr) return report.failures();
  // More than one group of queries on the device.
  constexpr std::size_t kRepeats = 3;
  std::vector<const float*> queries;
  for (std::size_t repeat = 0; repeat < kRepeats; ++repeat) {
    for (const auto& query : c.queries) queries.push_back(query.data());
  }
  std::vector<Hit> hits(queries.size() * c.k);
  std::vector<std::size_t> counts(queries.size());
  const cuda::Status status =
      cuda::topkBatch(*matrix, queries.data(), queries.size(), c.options(), hits.data(), counts.data());
  report.expect(status == cuda::Status::ok, "topkBatch");
  cuda::release(matrix);
  const bool exactly = c.content == Content::integers || c.content == Content::zeros;
  const References references = referencesF32(c);
  for (std::size_t q = 0; q < queries.size(); ++q) {
    checkHits(report, c, references[q % c.queryCount], hits.data() + q * c.k, counts[q], exactly, "topkBatch on the device");
  }
  return report.failures();
}

int checkPerceptron(const MlpShape& shape, std::size_t count, Activation output) {
  std::mt19937_64 random(shape.hidden);
  const auto gaussian = [&](std::size_t size) {
    std::vector<float> values(size);
    for (float& value : values) value = std::normal_distribution<float>{}(random);
    return values;
  };
  const auto w1 = gaussian(shape.hidden * shape.inputs), b1 = gaussian(shape.hidden);
  const auto w2 = gaussian(shape.outputs * shape.hidden), b2 = gaussian(shape.outputs);
  LineArray<float> packed(packedMlpFloats(shape));
  packMlp(shape, w1.data(), b1.data(), w2.data(), b2.data(), packed.data());
  const auto features = gaussian(count * (shape.inputs + 1));
  std::vector<float> expected(count * shape.outputs), found(expected.size());
  const PackedMlp mlp{shape, output, packed.data()};
  active().mlpForward(mlp, features.data(), shape.inputs + 1, count, expected.data());
  int failures = cuda::mlpForward(mlp, features.data(), shape.inputs + 1, count, found.data()) != cuda::Status::ok;
  for (std::size_t i = 0; i < found.size(); ++i) {
    failures += !(std::fabs(found[i] - expected[i]) <= 1e-4f * (1 + std::fabs(expected[i])));
  }
  return failures;
}

}  // namespace
}  // namespace ontomem::kernels::test

int main(int argc, char** argv) {
  using namespace ontomem;
  using namespace ontomem::kernels::test;
  const int cases = argc > 1 ? std::atoi(argv[1]) : 200;
  const cuda::Status status = cuda::deviceStatus();
  if (status != cuda::Status::ok) {
    const int failures = refusesWithoutDevice(status);
    std::printf("{\"test\":\"kernels_cuda\",\"skipped\":\"%s\",\"failures\":%d}\n", cuda::describe(status), failures);
    return failures == 0 ? 0 : 1;
  }
  int failures = 0;
  for (int seed = 0; seed < cases; ++seed) failures += checkSearch(static_cast<std::uint64_t>(seed));
  for (const std::size_t hidden : {1, 32, 33, 200}) {
    failures += checkPerceptron({5, hidden, 1}, 1000, kernels::Activation::sigmoid);
    failures += checkPerceptron({24, hidden, 7}, 33, kernels::Activation::linear);
    failures += checkPerceptron({1, hidden, 1}, 0, kernels::Activation::linear);
  }
  std::printf("{\"test\":\"kernels_cuda\",\"cases\":%d,\"failures\":%d}\n", cases, failures);
  return failures == 0 ? 0 : 1;
}
