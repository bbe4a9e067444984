#include "ontomem/fusion.hpp"

#include <algorithm>
#include <cmath>

namespace ontomem {
namespace {

void fillMix(Arms& arms, const RecallParameters& parameters) noexcept {
  const float* columns[kMaxViews + 1];
  float weights[kMaxViews + 1];
  std::size_t count = 0;
  double shift = 0;
  for (std::size_t view = 0; view < arms.viewCount; ++view) {
    const double weight = parameters.denseWeight * arms.views[view].weight;
    columns[count] = arms.views[view].scores;
    weights[count++] = static_cast<float>(weight * arms.views[view].norm.scale);
    shift += weight * arms.views[view].norm.shift;
  }
  if (arms.lexical.scores) {
    columns[count] = arms.lexical.scores;
    weights[count++] = static_cast<float>(arms.lexicalWeight * arms.lexical.norm.scale);
    shift += arms.lexicalWeight * arms.lexical.norm.shift;
  }
  const std::size_t rows = arms.snapshot->rows;
  kernels::active().fuseColumns(columns, weights, count, rows, arms.mix);
  const auto constant = static_cast<float>(shift);
  for (std::size_t row = 0; row < rows; ++row) arms.mix[row] += constant;
}

void fillLent(Arms& arms, const RecallParameters& parameters) noexcept {
  const std::size_t rows = arms.snapshot->rows;
  const auto floor = static_cast<float>(parameters.neighbourFloor);
  for (std::size_t row = 0; row < rows; ++row) arms.lent[row] = std::max(0.0f, arms.mix[row] - floor);
  arms.lent[rows] = 0;
  if (!arms.visibility.excluded) return;
  for (Row row = 0; row < rows; ++row) {
    if (!arms.visibility.sees(row)) arms.lent[row] = 0;
  }
}

}  // namespace

float logistic(float value) noexcept { return 1 / (1 + std::exp(-value)); }

Row visiblePrevious(const Arms& arms, Row row) noexcept {
  const Row previous = arms.snapshot->columns.previous()[row];
  return previous != kNoRow && arms.visibility.sees(previous) ? previous : kNoRow;
}

Row visibleNext(const Arms& arms, Row row) noexcept {
  const Row next = arms.snapshot->columns.next(row, arms.snapshot->rows);
  return next != kNoRow && arms.visibility.sees(next) ? next : kNoRow;
}

float denseZ(const Arms& arms, Row row) noexcept {
  float sum = 0;
  for (std::size_t view = 0; view < arms.viewCount; ++view) {
    sum += arms.views[view].weight * arms.views[view].norm.z(arms.views[view].scores[row]);
  }
  return sum;
}

float lexicalZ(const Arms& arms, Row row) noexcept {
  return arms.lexical.scores ? arms.lexical.norm.z(arms.lexical.scores[row]) : 0;
}

float mixOf(const Arms& arms, const RecallParameters& parameters, Row row) noexcept {
  return static_cast<float>(parameters.denseWeight * denseZ(arms, row) +
                            arms.lexicalWeight * lexicalZ(arms, row));
}

float lentBy(const Arms& arms, const RecallParameters& parameters, Row row) noexcept {
  return arms.visibility.sees(row) ? std::max(0.0f, arms.mix[row] - static_cast<float>(parameters.neighbourFloor)) : 0;
}

float structureGain(const Arms& arms, const RecallParameters& parameters, Row row) noexcept {
  const Row rows = arms.snapshot->rows;
  // No neighbour is a number above all rows, and `lent` ends with a zero for it.
  const Row previous = std::min(arms.snapshot->columns.previous()[row], rows);
  const Row next = std::min(arms.snapshot->columns.next(row, rows), rows);
  return static_cast<float>(parameters.previousGain) * arms.lent[previous] +
         static_cast<float>(parameters.nextGain) * arms.lent[next];
}

float contentOf(float smoothed, const RecallParameters& parameters) noexcept {
  if (parameters.contentSlope == 0) return smoothed;
  return logistic(static_cast<float>(parameters.contentSlope * smoothed + parameters.contentOffset));
}

void fuse(Arms& arms, const RecallParameters& parameters) noexcept {
  fillMix(arms, parameters);
  fillLent(arms, parameters);
  const Snapshot& snapshot = *arms.snapshot;
  const auto contentWeight = static_cast<float>(parameters.contentWeight);
  const auto profileWeight = static_cast<float>(parameters.profileWeight);
  const auto graphWeight = static_cast<float>(parameters.graphWeight);
  for (Row row = 0; row < snapshot.rows; ++row) {
    arms.fused[row] = arms.mix[row] + structureGain(arms, parameters, row);
  }
  for (Row row = 0; row < snapshot.rows; ++row) {
    arms.fused[row] = contentWeight * contentOf(arms.fused[row], parameters);
  }
  if (snapshot.profile) {
    for (Row row = 0; row < snapshot.rows; ++row) arms.fused[row] += profileWeight * snapshot.profile[row];
  }
  for (const PathStep& step : arms.expansion.steps) {
    if (nodeKind(step.node) == NodeKind::turn) arms.fused[step.node] += graphWeight * step.support();
  }
}

}  // namespace ontomem
