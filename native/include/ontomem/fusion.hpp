// Fusing the arms: z-scored mix, gains from the neighbours, Eq. 1.
#pragma once

#include <span>

#include "ontomem/dense.hpp"
#include "ontomem/expansion.hpp"
#include "ontomem/lexical.hpp"
#include "ontomem/recall_layout.hpp"

namespace ontomem {

/// The arms of one recall, scored. The arrays are [rows] of the reader's scratch.
struct Arms {
  const Snapshot* snapshot;
  Visibility visibility;
  DenseView views[kMaxViews];
  std::size_t viewCount;
  /// Null scores when the arm did not run.
  LexicalScores lexical;
  /// As the parameter, scaled by the query's coverage when asked for.
  double lexicalWeight = 0;
  ExpansionResult expansion;
  float* mix;
  /// [rows + 1]: what each row lends its neighbours, before their gains; 0 for invisible rows, and at the
  /// end for the neighbour that is not there.
  float* lent;
  float* fused;
};

float logistic(float value) noexcept;

/// The neighbours of a row that count: visible ones; kNoRow otherwise.
Row visiblePrevious(const Arms& arms, Row row) noexcept;
Row visibleNext(const Arms& arms, Row row) noexcept;

/// Sum of the weighted dense views' z-scores.
float denseZ(const Arms& arms, Row row) noexcept;
/// 0 when the arm did not run.
float lexicalZ(const Arms& arms, Row row) noexcept;

/// mix = denseWeight * denseZ + arms.lexicalWeight * lexicalZ.
float mixOf(const Arms& arms, const RecallParameters& parameters, Row row) noexcept;
/// What the row gains from its neighbours' mix.
float structureGain(const Arms& arms, const RecallParameters& parameters, Row row) noexcept;
/// Eq. 1's content term, before its weight.
float contentOf(float smoothed, const RecallParameters& parameters) noexcept;

/// What a row lends: its mix above the floor.
float lentBy(const Arms& arms, const RecallParameters& parameters, Row row) noexcept;

/// Fills arms.mix, arms.lent and arms.fused for all rows. O(rows * arms + steps).
void fuse(Arms& arms, const RecallParameters& parameters) noexcept;

}  // namespace ontomem
