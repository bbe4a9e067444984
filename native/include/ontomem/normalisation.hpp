// z-normalising a score over the visible rows, leaning on a prior where the rows are few.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace ontomem {

/// A prior that counts as `count` rows; count 0 = none.
struct ScorePrior {
  double mean;
  double deviation;
  double count;
};

/// z = (score - mean) / deviation, kept as scale and shift so that columns of scores combine linearly.
struct Normalisation {
  double mean = 0;
  double deviation = 0;
  float scale = 0;
  float shift = 0;

  float z(float score) const noexcept { return scale * score + shift; }
};

/// Statistics of `count` scores shrunk towards the prior by pseudo-counts:
/// mean = (n m + n0 m0) / (n + n0), variance about it likewise. Scores without spread give z = 0.
inline Normalisation normalise(double sum, double sumSquares, std::uint32_t count, const ScorePrior& prior) {
  Normalisation result;
  if (count != 0) {
    result.mean = sum / count;
    result.deviation = std::sqrt(std::max(0.0, sumSquares / count - result.mean * result.mean));
  }
  const double weight = count + prior.count;
  if (weight <= 0) return result;
  const double mean = (sum + prior.count * prior.mean) / weight;
  const double second =
      (sumSquares + prior.count * (prior.mean * prior.mean + prior.deviation * prior.deviation)) / weight;
  const double deviation = std::sqrt(std::max(0.0, second - mean * mean));
  // Below this the spread is rounding of equal scores.
  constexpr double kLeastDeviation = 1e-6;
  if (deviation < kLeastDeviation) return result;
  result.scale = static_cast<float>(1 / deviation);
  result.shift = static_cast<float>(-mean / deviation);
  return result;
}

}  // namespace ontomem
