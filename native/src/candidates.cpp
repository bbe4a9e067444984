#include "ontomem/candidates.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

namespace ontomem {
namespace {

/// Rows looked at together: most blocks hold nothing above the threshold and are left after one pass
/// that the compiler vectorises.
constexpr std::size_t kRowsPerBlock = 32;

float blockMaximum(const float* scores, std::size_t count) noexcept {
  float most[8];
  std::fill_n(most, 8, -std::numeric_limits<float>::infinity());
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
    selectBest(*arms_.snapshot, excluded_, scores, k, floor, scratch_.best);
    for (const RankKey key : scratch_.best) add(rowOf(key));
  }

  void addReached(std::size_t k) {
    scratch_.best.clear();
    for (const PathStep& step : arms_.expansion.steps) {
      if (nodeKind(step.node) != NodeKind::turn || isMarked(excluded_, step.node)) continue;
      scratch_.best.push_back(rankKey(step.support(), step.node));
    }
    keepBest(scratch_.best, k);
    std::sort(scratch_.best.begin(), scratch_.best.end(), std::greater<>());
    for (const RankKey key : scratch_.best) add(rowOf(key));
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
                float floor, std::vector<RankKey>& best) {
  best.clear();
  if (k == 0) return;
  // Rows above the threshold are collected; a full buffer is cut to the k best, which raises it.
  const std::size_t room = std::max(4 * k, std::size_t{256});
  best.reserve(room);
  float threshold = floor;
  for (std::size_t first = 0; first < snapshot.rows; first += kRowsPerBlock) {
    const std::size_t last = std::min<std::size_t>(first + kRowsPerBlock, snapshot.rows);
    if (!(blockMaximum(scores + first, last - first) > threshold)) continue;
    for (std::size_t i = first; i < last; ++i) {
      if (scores[i] > threshold && !isMarked(excluded, static_cast<Row>(i))) {
        best.push_back(rankKey(scores[i], static_cast<Row>(i)));
      }
    }
    if (best.size() + kRowsPerBlock <= room) continue;
    keepBest(best, k);
    const RankKey worst = *std::min_element(best.begin(), best.end());
    // A later row of equal score is the better one: let equals pass.
    threshold = std::nextafter(scores[rowOf(worst)], -std::numeric_limits<float>::infinity());
  }
  keepBest(best, k);
  std::sort(best.begin(), best.end(), std::greater<>());
}

void chooseCandidates(const Arms& arms, const RecallParameters& parameters, const std::uint64_t* excluded,
                      CandidateScratch& scratch) {
  constexpr float kAnything = -std::numeric_limits<float>::infinity();
  const auto limit = static_cast<std::size_t>(parameters.candidates);
  CandidateSet set(arms, limit, excluded, scratch);
  for (std::size_t view = 0; view < arms.viewCount; ++view) {
    set.addBest(arms.views[view].scores, static_cast<std::size_t>(parameters.denseQuota), kAnything);
  }
  if (arms.lexical.scores) {
    set.addBest(arms.lexical.scores, static_cast<std::size_t>(parameters.lexicalQuota), 0);
  }
  set.addReached(static_cast<std::size_t>(parameters.graphQuota));
  set.addBest(arms.fused, limit, kAnything);
  findSteps(arms, scratch);
}

}  // namespace ontomem
