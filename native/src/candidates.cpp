#include "ontomem/candidates.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <limits>

namespace ontomem {
namespace {

constexpr float kNothing = -std::numeric_limits<float>::infinity();

/// Rows a block: about four blocks a place, so that the bound is close; at least one vector's worth.
std::size_t rowsPerBlock(std::size_t rows, std::size_t k) noexcept {
  constexpr std::size_t kLeast = 8;
  return std::max(kLeast, std::bit_floor(rows / (4 * k)));
}

float blockMaximum(const float* scores, std::size_t count) noexcept {
  float most[8];
  std::fill_n(most, 8, kNothing);
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    for (std::size_t lane = 0; lane < 8; ++lane) most[lane] = std::max(most[lane], scores[i + lane]);
  }
  for (; i < count; ++i) most[0] = std::max(most[0], scores[i]);
  return *std::max_element(most, most + 8);
}

bool isMarked(const std::uint64_t* bits, Row row) noexcept {
  return bits && (bits[row / 64] >> (row % 64) & 1) != 0;
}

float visibleMaximum(const std::uint64_t* excluded, const float* scores, std::size_t first, std::size_t last) noexcept {
  float most = kNothing;
  for (std::size_t row = first; row < last; ++row) {
    most = std::max(most, isMarked(excluded, static_cast<Row>(row)) ? kNothing : scores[row]);
  }
  return most;
}

/// Leaves the `k` highest keys, in no order.
void keepBest(std::vector<RankKey>& keys, std::size_t k) {
  if (keys.size() <= k) return;
  std::nth_element(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(k), keys.end(), std::greater<>());
  keys.resize(k);
}

class CandidateSet {
 public:
  CandidateSet(const Arms& arms, std::size_t limit, const std::uint64_t* excluded, CandidateScratch& scratch)
      : arms_(arms), limit_(limit), excluded_(excluded), scratch_(scratch) {
    const std::size_t words = bitsetWords(arms.snapshot->rows);
    std::memset(scratch.taken.ensure(words + 1), 0, words * sizeof(std::uint64_t));
    scratch.rows.clear();
  }

  void addBest(const float* scores, std::size_t k, float floor) {
    if (k == 0) return;
    selectBest(*arms_.snapshot, excluded_, scores, k, floor, scratch_.selection);
    for (const RankKey key : scratch_.selection.best) add(rowOf(key));
  }

  void addReached(std::size_t k) {
    std::vector<RankKey>& best = scratch_.selection.best;
    best.clear();
    for (const PathStep& step : arms_.expansion.steps) {
      if (nodeKind(step.node) != NodeKind::turn || isMarked(excluded_, step.node)) continue;
      best.push_back(rankKey(step.support(), step.node));
    }
    keepBest(best, k);
    std::sort(best.begin(), best.end(), std::greater<>());
    for (const RankKey key : best) add(rowOf(key));
  }

 private:
  void add(Row row) {
    std::uint64_t& word = scratch_.taken[row / 64];
    const std::uint64_t bit = std::uint64_t{1} << (row % 64);
    if ((word & bit) != 0 || scratch_.rows.size() == limit_) return;
    word |= bit;
    scratch_.rows.push_back(row);
  }

  const Arms& arms_;
  const std::size_t limit_;
  const std::uint64_t* const excluded_;
  CandidateScratch& scratch_;
};

void findSteps(const Arms& arms, CandidateScratch& scratch) {
  scratch.steps.assign(scratch.rows.size(), kNoPath);
  if (arms.expansion.steps.empty()) return;
  // Steps are in no order of rows, candidates are few: sort their places once, then look up.
  scratch.places.clear();
  for (std::uint32_t i = 0; i < scratch.rows.size(); ++i) scratch.places.emplace_back(scratch.rows[i], i);
  std::sort(scratch.places.begin(), scratch.places.end());
  for (std::uint32_t step = 0; step < arms.expansion.steps.size(); ++step) {
    const Node node = arms.expansion.steps[step].node;
    if (nodeKind(node) != NodeKind::turn) continue;
    if ((scratch.taken[node / 64] >> (node % 64) & 1) == 0) continue;
    const auto place = std::lower_bound(scratch.places.begin(), scratch.places.end(), std::pair{node, 0u});
    scratch.steps[place->second] = step;
  }
}

}  // namespace

void selectBest(const Snapshot& snapshot, const std::uint64_t* excluded, const float* scores, std::size_t k,
                float floor, Selection& selection) {
  std::vector<RankKey>& best = selection.best;
  best.clear();
  const std::size_t rows = snapshot.rows;
  if (k == 0 || rows == 0) return;
  const std::size_t block = rowsPerBlock(rows, k);
  selection.maxima.clear();
  for (std::size_t first = 0; first < rows; first += block) {
    const std::size_t last = std::min(first + block, rows);
    selection.maxima.push_back(excluded ? visibleMaximum(excluded, scores, first, last)
                                        : blockMaximum(scores + first, last - first));
  }
  // What is collected is at least `bound` and above `floor`.
  float bound = kNothing;
  if (selection.maxima.size() > k) {
    selection.ordered.assign(selection.maxima.begin(), selection.maxima.end());
    const auto place = selection.ordered.begin() + static_cast<std::ptrdiff_t>(k - 1);
    std::nth_element(selection.ordered.begin(), place, selection.ordered.end(), std::greater<>());
    bound = *place;
  }
  for (std::size_t i = 0; i < selection.maxima.size(); ++i) {
    if (!(selection.maxima[i] >= bound && selection.maxima[i] > floor)) continue;
    const std::size_t first = i * block;
    const std::size_t last = std::min(first + block, rows);
    std::size_t count = best.size();
    best.resize(count + (last - first));
    for (std::size_t row = first; row < last; ++row) {
      best[count] = rankKey(scores[row], static_cast<Row>(row));
      const bool wanted = scores[row] >= bound && scores[row] > floor && !isMarked(excluded, static_cast<Row>(row));
      count += wanted ? 1 : 0;
    }
    best.resize(count);
  }
  keepBest(best, k);
  std::sort(best.begin(), best.end(), std::greater<>());
}

void chooseCandidates(const Arms& arms, const RecallParameters& parameters, const std::uint64_t* excluded,
                      CandidateScratch& scratch) {
  const auto limit = static_cast<std::size_t>(parameters.candidates);
  CandidateSet set(arms, limit, excluded, scratch);
  // First, so that the quotas of several views cannot push out what all arms agree on.
  set.addBest(arms.fused, (limit + 1) / 2, kNothing);
  for (std::size_t view = 0; view < arms.viewCount; ++view) {
    set.addBest(arms.views[view].scores, static_cast<std::size_t>(parameters.denseQuota), kNothing);
  }
  if (arms.lexical.scores) {
    set.addBest(arms.lexical.scores, static_cast<std::size_t>(parameters.lexicalQuota), 0);
  }
  set.addReached(static_cast<std::size_t>(parameters.graphQuota));
  set.addBest(arms.fused, limit, kNothing);
  findSteps(arms, scratch);
}

}  // namespace ontomem
