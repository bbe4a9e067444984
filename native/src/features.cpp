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

const float* bestOfSessions(const Arms& arms, Scratch<float>& scratch) {
  const std::size_t sessions = arms.snapshot->sessions.numbers.size();
  float* const best = scratch.ensure(sessions + 1);
  std::fill_n(best, sessions, -std::numeric_limits<float>::infinity());
  const std::uint32_t* const session = arms.snapshot->columns.session();
  for (Row row = 0; row < arms.snapshot->rows; ++row) {
    if (arms.visibility.sees(row)) best[session[row]] = std::max(best[session[row]], arms.mix[row]);
  }
  return best;
}

void fillFeatures(const Arms& arms, const RecallParameters& parameters, const FeatureContext& context,
                  const float* sessionBest, std::span<const Candidate> candidates, float* out,
                  std::size_t stride) noexcept {
  for (std::size_t i = 0; i < candidates.size(); ++i, out += stride) {
    const Row row = candidates[i].row;
    const Row previous = visiblePrevious(arms, row);
    const Row next = visibleNext(arms, row);
    fillDense(arms, row, previous, next, out);
    fillLexical(arms, row, previous, next, out);
    out[feature::mix] = arms.mix[row];
    out[feature::mixPrevious] = previous != kNoRow ? arms.mix[previous] : 0;
    out[feature::mixNext] = next != kNoRow ? arms.mix[next] : 0;
    out[feature::smoothed] = arms.mix[row] + structureGain(arms, parameters, row);
    const float best = sessionBest[arms.snapshot->columns.session()[row]];
    out[feature::sessionBest] = best;
    out[feature::sessionGap] = arms.mix[row] - best;
    out[feature::rank] = 1 / (1 + static_cast<float>(i));
    fillTurn(arms, context, row, previous, out);
    fillGraph(arms, candidates[i], out);
  }
}

}  // namespace ontomem
