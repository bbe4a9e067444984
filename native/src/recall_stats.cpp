#include "recall_stats.hpp"

#include <algorithm>
#include <functional>
#include <limits>

namespace ontomem {
namespace {

constexpr std::size_t kCompared = 10;

template <class Score>
void bestBy(const std::vector<Candidate>& candidates, Score score, std::vector<RankKey>& best) {
  best.clear();
  for (const Candidate& candidate : candidates) {
    const float value = score(candidate);
    if (value > -std::numeric_limits<float>::infinity()) best.push_back(rankKey(value, candidate.row));
  }
  const std::size_t kept = std::min(best.size(), kCompared);
  std::partial_sort(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(kept), best.end(), std::greater<>());
  best.resize(kept);
}

/// How little the graph's and view 0's ten best candidates have in common.
double disagreement(const Arms& arms, ReaderScratch& scratch) {
  if (arms.expansion.steps.empty() || arms.viewCount == 0) return 0;
  constexpr float kNotReached = -std::numeric_limits<float>::infinity();
  std::vector<RankKey>& byDense = scratch.candidates.selection.best;
  std::vector<RankKey>& byGraph = scratch.byGraph;
  bestBy(scratch.ranked, [&](const Candidate& c) { return arms.views[0].scores[c.row]; }, byDense);
  const auto support = [&](const Candidate& c) {
    return c.step == kNoPath ? kNotReached : arms.expansion.steps[c.step].support();
  };
  bestBy(scratch.ranked, support, byGraph);
  if (byGraph.empty()) return 0;
  std::size_t shared = 0;
  for (const RankKey key : byGraph) {
    shared += std::any_of(byDense.begin(), byDense.end(), [&](RankKey other) { return rowOf(other) == rowOf(key); });
  }
  return 1 - double(shared) / double(byGraph.size());
}

}  // namespace

void summarise(const Arms& arms, ReaderScratch& scratch, RecallStats& stats) {
  stats.rows = arms.snapshot->rows;
  stats.layout = arms.snapshot->layout;
  stats.visible = arms.visibility.visible;
  stats.candidates = static_cast<double>(scratch.ranked.size());
  if (arms.viewCount != 0 && arms.visibility.visible != 0) {
    stats.denseMean = arms.views[0].norm.mean;
    stats.denseDeviation = arms.views[0].norm.deviation;
    stats.denseBest = arms.views[0].best;
  }
  stats.lexicalMean = arms.lexical.norm.mean;
  stats.lexicalDeviation = arms.lexical.norm.deviation;
  stats.lexicalBest = arms.lexical.best;
  // Every arm's best that may be returned is a candidate, unless its quota is 0.
  for (const Candidate& candidate : scratch.ranked) {
    if (arms.viewCount != 0) {
      const double dense = arms.views[0].scores[candidate.row];
      const bool first = &candidate == scratch.ranked.data();
      stats.wantedDenseBest = first ? dense : std::max(stats.wantedDenseBest, dense);
    }
    if (arms.lexical.scores) {
      stats.wantedLexicalBest = std::max<double>(stats.wantedLexicalBest, arms.lexical.scores[candidate.row]);
    }
  }
  stats.termsKnown = arms.lexical.termsKnown;
  for (const PathStep& step : arms.expansion.steps) {
    stats.graphReached += nodeKind(step.node) == NodeKind::turn;
  }
  stats.edgesExamined = static_cast<double>(arms.expansion.edgesExamined);
  stats.budgetSpent = arms.expansion.budgetSpent;
  if (scratch.ranked.size() > 1) stats.margin = scratch.ranked[0].raw - scratch.ranked[1].raw;
  stats.disagreement = disagreement(arms, scratch);
}

}  // namespace ontomem
