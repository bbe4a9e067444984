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

/// Best mix of the visible turns of a session, worked out when first asked for.
class SessionBest {
 public:
  /// O(sessions). Throws std::bad_alloc.
  SessionBest(const Arms& arms, Scratch<float>& scratch);

  /// O(turns of the session) the first time, then O(1). Precondition: the session has a visible turn.
  float of(std::uint32_t session) noexcept;

 private:
  const Arms& arms_;
  std::span<float> best_;
};

/// Writes `feature::count` floats in the order of recall_layout.hpp. `candidate.features` is the
/// candidate's place by fused score.
void fillFeatures(const Arms& arms, const RecallParameters& parameters, const FeatureContext& context,
                  SessionBest& sessionBest, const Candidate& candidate, float* out) noexcept;

}  // namespace ontomem
