// Feature rows of the candidates, for a learned scorer and for explanations.
#pragma once

#include <span>

#include "ontomem/fusion.hpp"
#include "ontomem/scratch.hpp"

namespace ontomem {

/// What a candidate is known by after fusion.
struct Candidate {
  Row row;
  /// Step of the expansion, or kNoPath.
  std::uint32_t step;
  /// Its place when features were assembled.
  std::uint32_t features;
  /// Eq. 1's score, then the scorer's blend; before calibration.
  float raw;
  float parts[part::count];
};

struct FeatureContext {
  /// Ages count back from here.
  double nowMs;
  /// Ordinal of the speaker the question names, or GroupTable::kNone.
  std::uint32_t speakerCue;
  /// A question names a speaker, though perhaps one without turns here.
  bool hasSpeakerCue;
};

/// Best mix of each session, by ordinal. O(rows). Throws std::bad_alloc.
const float* bestOfSessions(const Arms& arms, Scratch<float>& scratch);

/// Writes `feature::count` floats a candidate, `stride` apart, in the order of recall_layout.hpp.
/// `candidates` are in order of their fused score. O(candidates * features).
void fillFeatures(const Arms& arms, const RecallParameters& parameters, const FeatureContext& context,
                  const float* sessionBest, std::span<const Candidate> candidates, float* out,
                  std::size_t stride) noexcept;

}  // namespace ontomem
