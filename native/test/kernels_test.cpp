// Kernels of every instruction set this CPU has, against f64: 10,000 random cases and the named edges.
// Usage: kernels_test [cases]. Prints one JSON line; exits 1 when anything failed.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "kernels_differential.hpp"

namespace ontomem::kernels::test {
namespace {

int failures = 0;

void expect(bool condition, const Kernels& kernels, const char* what) {
  if (condition) return;
  ++failures;
  std::fprintf(stderr, "%s: %s\n", kernels.name, what);
}

std::vector<float> gaussian(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

void refusesWhatIsNotFinite(const Kernels& kernels) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity()}) {
    for (std::size_t count = 1; count <= 70; ++count) {
      std::vector<float> values(count, std::numeric_limits<float>::max());
      expect(kernels.allFinite(values.data(), count), kernels, "largest finite value taken for infinite");
      values[(count * 7) % count] = bad;
      expect(!kernels.allFinite(values.data(), count), kernels, "first value not finite, accepted");
      values[0] = 0;
      values[count - 1] = bad;
      expect(!kernels.allFinite(values.data(), count), kernels, "last value not finite, accepted");
    }
  }
}

void newerRowWinsEqualScores(const Kernels& kernels) {
  constexpr std::size_t d = 16, n = 300;
  for (const std::size_t k : {std::size_t{1}, std::size_t{10}, std::size_t{64}, std::size_t{65}, std::size_t{400}}) {
    LineArray<float> rows(n * paddedStride(Format::f32, d));
    for (std::size_t row = 0; row < n; ++row) rows[row * paddedStride(Format::f32, d)] = 1.0f;
    const std::vector<float> query(d, 1.0f);
    std::vector<Hit> hits(k);
    const F32Rows matrix{rows.data(), paddedStride(Format::f32, d), n, d};
    const std::size_t found = kernels.topkF32(matrix, query.data(), {k}, hits.data());
    expect(found == std::min(k, n), kernels, "number of tied hits");
    for (std::size_t i = 0; i < found; ++i) {
      expect(hits[i].row == n - 1 - i && hits[i].score == 1.0f, kernels, "tied hits are not newest first");
    }
  }
}

/// Each row order (8, 4, strict) must give the same answer: 20 MB of rows reach all three by count.
void everyRowOrderAgrees(const Kernels& kernels) {
  constexpr std::size_t d = 64;
  for (const std::size_t n : {std::size_t{1000}, std::size_t{20003}, std::size_t{80005}}) {
    const std::vector<float> source = gaussian(n * d, n);
    const std::vector<float> query = gaussian(d, 9);
    const F32Rows rows{source.data(), d, n, d};
    std::vector<Hit> hits(20), cold(20);
    kernels.topkF32(rows, query.data(), {20}, hits.data());
    kernels.topkF32({source.data(), d, n, d, Residency::cold}, query.data(), {20}, cold.data());
    for (std::size_t i = 0; i < hits.size(); ++i) {
      expect(hits[i].row == cold[i].row, kernels, "warm and cold row order give other rows");
    }
  }
}

/// Clustered unit vectors, where int8 alone misorders neighbours: rescoring must restore the exact ten.
void rescoringRecallIsOne(const Kernels& kernels) {
  constexpr std::size_t d = 384, n = 10000, clusters = 100, queries = 20, k = 10;
  const std::vector<float> centres = gaussian(clusters * d, 1);
  std::vector<float> source = gaussian(n * d, 2);
  for (std::size_t row = 0; row < n; ++row) {
    for (std::size_t i = 0; i < d; ++i) source[row * d + i] = centres[row % clusters * d + i] + 0.3f * source[row * d + i];
    kernels.normalise(source.data() + row * d, d);
  }
  LineArray<std::int8_t> int8(n * d);
  LineArray<std::uint16_t> bf16(n * d);
  LineArray<float> scales(n);
  LineArray<std::int32_t> sums(n);
  kernels.quantiseInt8(source.data(), d, n, d, int8.data(), d, scales.data(), sums.data());
  kernels.quantiseBf16(source.data(), d, n, d, bf16.data(), d);
  const F32Rows exact{source.data(), d, n, d};
  const Int8Rows rough{int8.data(), d, n, d, scales.data(), sums.data()};
  for (std::size_t q = 0; q < queries; ++q) {
    std::vector<float> query = gaussian(d, 100 + q);
    for (std::size_t i = 0; i < d; ++i) query[i] = centres[q * d + i] + 0.3f * query[i];
    kernels.normalise(query.data(), d);
    Hit wanted[k], found[k], scanned[k];
    kernels.topkF32(exact, query.data(), {k}, wanted);
    kernels.topkInt8RescoredF32(rough, exact, query.data(), {k}, found);
    for (std::size_t i = 0; i < k; ++i) expect(wanted[i].row == found[i].row, kernels, "int8 rescored in f32 lost a hit");
    // In bf16 the exact order is that of the bf16 rows under the unrounded query.
    kernels.topkBf16({bf16.data(), d, n, d}, query.data(), {k}, wanted);
    kernels.topkInt8RescoredBf16(rough, {bf16.data(), d, n, d}, query.data(), {k}, scanned);
    expect(std::fabs(wanted[0].score - scanned[0].score) < 1e-2f, kernels, "int8 rescored in bf16 lost the best hit");
  }
}

void denseAlgebraMatches(const Kernels& kernels) {
  for (std::size_t d = 1; d <= 130; d += d < 40 ? 1 : 13) {
    std::vector<float> left = gaussian(d, d), right = gaussian(d, d + 1000);
    const auto at = [](const std::vector<float>& v) { return [&v](std::size_t i) { return v[i]; }; };
    const Reference product = referenceDot(d, at(left), at(right));
    expect(std::fabs(kernels.dot(left.data(), right.data(), d) - product.score) <= product.tolerance, kernels, "dot");

    const std::size_t stride = paddedStride(Format::f32, d);
    const std::vector<float> plain = gaussian(2 * d * d, d + 5);
    LineArray<float> first(d * stride), second(d * stride);
    kernels.padF32(plain.data(), d, d, d, first.data(), stride);
    kernels.padF32(plain.data() + d * d, d, d, d, second.data(), stride);
    const float* maps[] = {first.data(), second.data()};
    std::vector<float> mapped(2 * d);
    kernels.mapQuery(maps, 2, stride, d, left.data(), mapped.data(), d);
    for (std::size_t i = 0; i < 2 * d; ++i) {
      const Reference expected = referenceDot(d, [&](std::size_t j) { return plain[i * d + j]; }, at(left));
      expect(std::fabs(mapped[i] - expected.score) <= expected.tolerance, kernels, "mapQuery");
    }

    const float length = kernels.normalise(left.data(), d);
    const Reference unit = referenceDot(d, at(left), at(left));
    expect(length > 0 && std::fabs(unit.score - 1.0) < 1e-5, kernels, "normalise");

    const float* columns[] = {left.data(), right.data(), plain.data()};
    const float weights[] = {0.55f, 0.35f, 0.10f};
    std::vector<float> fused(d);
    kernels.fuseColumns(columns, weights, 3, d, fused.data());
    for (std::size_t i = 0; i < d; ++i) {
      const double expected = 0.55 * left[i] + 0.35 * right[i] + 0.10 * plain[i];
      expect(std::fabs(fused[i] - expected) < 1e-5, kernels, "fuseColumns");
    }
  }
  float zeros[5] = {};
  expect(kernels.normalise(zeros, 5) == 0.0f && zeros[4] == 0.0f, kernels, "normalise of a zero vector");
}

void perceptronMatches(const Kernels& kernels, const MlpShape& shape, std::size_t count, Activation output) {
  const std::vector<float> w1 = gaussian(shape.hidden * shape.inputs, 1), b1 = gaussian(shape.hidden, 2);
  const std::vector<float> w2 = gaussian(shape.outputs * shape.hidden, 3), b2 = gaussian(shape.outputs, 4);
  LineArray<float> packed(packedMlpFloats(shape));
  packMlp(shape, w1.data(), b1.data(), w2.data(), b2.data(), packed.data());
  const std::size_t stride = shape.inputs + 3;
  const std::vector<float> features = gaussian(count * stride, 5);
  std::vector<float> out(count * shape.outputs);
  kernels.mlpForward({shape, output, packed.data()}, features.data(), stride, count, out.data());
  for (std::size_t row = 0; row < count; ++row) {
    std::vector<double> sums(b2.begin(), b2.end());
    double magnitude = 1;
    for (std::size_t unit = 0; unit < shape.hidden; ++unit) {
      double hidden = b1[unit];
      for (std::size_t i = 0; i < shape.inputs; ++i) hidden += static_cast<double>(w1[unit * shape.inputs + i]) * features[row * stride + i];
      hidden = std::max(hidden, 0.0);
      for (std::size_t o = 0; o < shape.outputs; ++o) sums[o] += w2[o * shape.hidden + unit] * hidden;
      magnitude += hidden;
    }
    for (std::size_t o = 0; o < shape.outputs; ++o) {
      const double expected = output == Activation::sigmoid ? 1 / (1 + std::exp(-sums[o])) : sums[o];
      expect(std::fabs(out[row * shape.outputs + o] - expected) <= 1e-5 * magnitude, kernels, "mlpForward");
    }
  }
}

void widestVectorIsAccepted(const Kernels& kernels) {
  constexpr std::size_t n = 20, stride = paddedStride(Format::f32, kMaxDimension);
  LineArray<float> rows(n * stride);
  const std::vector<float> source = gaussian(n * kMaxDimension, 3);
  kernels.padF32(source.data(), kMaxDimension, n, kMaxDimension, rows.data(), stride);
  Hit best;
  const F32Rows matrix{rows.data(), stride, n, kMaxDimension};
  kernels.topkF32(matrix, source.data() + 7 * kMaxDimension, {1}, &best);
  expect(best.row == 7, kernels, "a row of the widest dimension does not find itself");
}

void dispatchFollowsTheNames() {
  const Kernels& chosen = active();
  expect(byName(chosen.name) == &chosen, chosen, "the active table is not the one of its name");
  expect(byName("sse9") == nullptr, chosen, "an unknown instruction set has a table");
  const char* wanted = std::getenv("ONTOMEM_ISA");
  const bool followed = wanted == nullptr || *wanted == '\0' || byName(wanted) != nullptr;
  expect((isaWarning() == nullptr) == followed, chosen, "ONTOMEM_ISA ignored without a reason, or the reverse");
}

}  // namespace
}  // namespace ontomem::kernels::test

int main(int argc, char** argv) {
  using namespace ontomem::kernels;
  using namespace ontomem::kernels::test;
  const int cases = argc > 1 ? std::atoi(argv[1]) : 10000;
  constexpr std::size_t kLargestCount = 400;
  dispatchFollowsTheNames();
  for (const char* name : {"scalar", "avx2", "avx512", "avx512-wide", "neon"}) {
    const Kernels* kernels = byName(name);
    if (kernels == nullptr) {
      std::printf("{\"test\":\"kernels\",\"isa\":\"%s\",\"skipped\":\"not on this CPU\"}\n", name);
      continue;
    }
    const int before = failures;
    refusesWhatIsNotFinite(*kernels);
    newerRowWinsEqualScores(*kernels);
    everyRowOrderAgrees(*kernels);
    rescoringRecallIsOne(*kernels);
    denseAlgebraMatches(*kernels);
    for (const std::size_t hidden : {1, 16, 32, 33, 100}) {
      perceptronMatches(*kernels, {7, hidden, 1}, 64, Activation::sigmoid);
      perceptronMatches(*kernels, {1, hidden, 5}, 13, Activation::linear);
      perceptronMatches(*kernels, {40, hidden, 2}, 1, Activation::linear);
      perceptronMatches(*kernels, {3, hidden, 2}, 0, Activation::linear);
    }
    widestVectorIsAccepted(*kernels);
    for (int seed = 0; seed < cases; ++seed) failures += checkCase(*kernels, static_cast<std::uint64_t>(seed), kLargestCount);
    std::printf("{\"test\":\"kernels\",\"isa\":\"%s\",\"cases\":%d,\"failures\":%d}\n", name, cases, failures - before);
  }
  return failures == 0 ? 0 : 1;
}
