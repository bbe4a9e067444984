#include "ontomem/features.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ontomem {
namespace {

constexpr double kMsPerDay = 86'400'000;

void fillDense(const Arms& arms, Row row, Row previous, Row next, float* out) noexcept {
  for (std::size_t view = 0; view < kMaxViews; ++view) {
    const bool asked = view < arms.viewCount;
    const auto z = [&](Row of) {
      return asked && of != kNoRow ? arms.views[view].norm.z(arms.views[view].scores[of]) : 0.0f;
    };
    out[feature::dense0 + view] = asked ? arms.views[view].scores[row] : 0;
    out[feature::denseZ0 + view] = z(row);
    out[feature::densePrevious0 + view] = z(previous);
    out[feature::denseNext0 + view] = z(next);
  }
}

void fillLexical(const Arms& arms, Row row, Row previous, Row next, float* out) noexcept {
  const LexicalScores& lexical = arms.lexical;
  const bool ran = lexical.scores != nullptr;
  out[feature::lexical] = ran ? lexical.scores[row] : 0;
  out[feature::lexicalZ] = lexicalZ(arms, row);
  out[feature::lexicalPrevious] = previous != kNoRow ? lexicalZ(arms, previous) : 0;
  out[feature::lexicalNext] = next != kNoRow ? lexicalZ(arms, next) : 0;
  out[feature::lexicalCoverage] = ran && lexical.totalIdf > 0 ? lexical.coverage[row] / lexical.totalIdf : 0;
}

void fillTurn(const Arms& arms, const FeatureContext& context, Row row, Row previous, float* out) noexcept {
  const RowColumns& columns = arms.snapshot->columns;
  const std::uint32_t flags = columns.flags()[row];
  const auto flag = [](std::uint32_t of, std::uint32_t bit) { return (of & bit) != 0 ? 1.0f : 0.0f; };
  const bool match = columns.speaker()[row] == context.speakerCue;
  out[feature::speakerMatch] = !context.hasSpeakerCue ? 0.0f : match ? 1.0f : -1.0f;
  out[feature::questionMark] = flag(flags, row_flag::questionMark);
  out[feature::previousQuestionMark] =
      previous != kNoRow ? flag(columns.flags()[previous], row_flag::questionMark) : 0;
  out[feature::firstPerson] = flag(flags, row_flag::firstPerson);
  out[feature::caption] = flag(flags, row_flag::caption);
  out[feature::dated] = flag(flags, row_flag::dated);
  out[feature::timeWords] = flag(flags, row_flag::timeWords);
  out[feature::digits] = flag(flags, row_flag::digits);
  out[feature::properName] = flag(flags, row_flag::properName);
  const double days = std::max(0.0, (context.nowMs - columns.atMs()[row]) / kMsPerDay);
  out[feature::age] = static_cast<float>(std::log1p(days));
  out[feature::length] = std::log1p(static_cast<float>(columns.length()[row]));
}

void fillGraph(const Arms& arms, const Candidate& candidate, float* out) noexcept {
  const bool reached = candidate.step != kNoPath;
  const PathStep step = reached ? arms.expansion.steps[candidate.step] : PathStep{};
  out[feature::graph] = reached ? step.support() : 0;
  out[feature::graphBest] = reached ? step.best : 0;
  out[feature::graphHops] = reached ? 1 / (1 + static_cast<float>(step.hops)) : 0;
  out[feature::profile] = arms.snapshot->profile ? arms.snapshot->profile[candidate.row] : 0;
}

}  // namespace

SessionBest::SessionBest(const Arms& arms, Scratch<float>& scratch) : arms_(arms) {
  const std::size_t sessions = arms.snapshot->sessions.numbers.size();
  best_ = {scratch.ensure(sessions), sessions};
  std::fill(best_.begin(), best_.end(), -std::numeric_limits<float>::infinity());
}

float SessionBest::of(std::uint32_t session) noexcept {
  float& best = best_[session];
  if (std::isfinite(best)) return best;
  const Snapshot& snapshot = *arms_.snapshot;
  const Row* const chain = snapshot.columns.sessionChain();
  for (Row row = snapshot.sessions.newestBelow(session, chain, snapshot.rows); row != kNoRow; row = chain[row]) {
    if (arms_.visibility.sees(row)) best = std::max(best, arms_.mix[row]);
  }
  return best;
}

void fillFeatures(const Arms& arms, const RecallParameters& parameters, const FeatureContext& context,
                  SessionBest& sessionBest, const Candidate& candidate, float* out) noexcept {
  const Row row = candidate.row;
  const Row previous = visiblePrevious(arms, row);
  const Row next = visibleNext(arms, row);
  fillDense(arms, row, previous, next, out);
  fillLexical(arms, row, previous, next, out);
  out[feature::mix] = arms.mix[row];
  out[feature::mixPrevious] = previous != kNoRow ? arms.mix[previous] : 0;
  out[feature::mixNext] = next != kNoRow ? arms.mix[next] : 0;
  out[feature::smoothed] = arms.mix[row] + structureGain(arms, parameters, row);
  const float best = sessionBest.of(arms.snapshot->columns.session()[row]);
  out[feature::sessionBest] = best;
  out[feature::sessionGap] = arms.mix[row] - best;
  out[feature::rank] = 1 / (1 + static_cast<float>(candidate.features));
  fillTurn(arms, context, row, previous, out);
  fillGraph(arms, candidate, out);
}

}  // namespace ontomem
