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

float structureGain(const Arms& arms, const RecallParameters& parameters, Row row) noexcept {
  const Row previous = visiblePrevious(arms, row);
  const Row next = visibleNext(arms, row);
  const auto floor = static_cast<float>(parameters.neighbourFloor);
  const auto lent = [&](Row neighbour) { return std::max(0.0f, arms.mix[neighbour] - floor); };
  float gain = 0;
  if (previous != kNoRow) gain += static_cast<float>(parameters.previousGain) * lent(previous);
  if (next != kNoRow) gain += static_cast<float>(parameters.nextGain) * lent(next);
  return gain;
}

float contentOf(float smoothed, const RecallParameters& parameters) noexcept {
  if (parameters.contentSlope == 0) return smoothed;
  return logistic(static_cast<float>(parameters.contentSlope * smoothed + parameters.contentOffset));
}

void fuse(Arms& arms, const RecallParameters& parameters) noexcept {
  fillMix(arms, parameters);
  const Snapshot& snapshot = *arms.snapshot;
  const auto contentWeight = static_cast<float>(parameters.contentWeight);
  const auto profileWeight = static_cast<float>(parameters.profileWeight);
  const auto graphWeight = static_cast<float>(parameters.graphWeight);
  for (Row row = 0; row < snapshot.rows; ++row) {
    const float smoothed = arms.mix[row] + structureGain(arms, parameters, row);
    arms.fused[row] = contentWeight * contentOf(smoothed, parameters);
  }
  if (snapshot.profile) {
    for (Row row = 0; row < snapshot.rows; ++row) arms.fused[row] += profileWeight * snapshot.profile[row];
  }
  for (const PathStep& step : arms.expansion.steps) {
    if (nodeKind(step.node) == NodeKind::turn) arms.fused[step.node] += graphWeight * step.support();
  }
}

}  // namespace ontomem
