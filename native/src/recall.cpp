#include "ontomem/recall.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "recall_stats.hpp"
#include "request_check.hpp"
#include "stage_clock.hpp"

namespace ontomem {
namespace {

/// In raw scores; a calibrated one then differs by 1e-6 at most.
constexpr float kTieTolerance = 4e-6f;

class Recall {
 public:
  Recall(const Snapshot& snapshot, const RecallRequest& request, ReaderScratch& scratch, RecallOutput& output)
      : snapshot_(snapshot),
        request_(request),
        parameters_(request.parameters),
        scratch_(scratch),
        output_(output),
        clock_(parameters_.deadlineUs) {}

  void run() {
    output_.stats = {};
    output_.count = 0;
    arms_.snapshot = &snapshot_;
    // A path of an older recall must not be read as one of this.
    scratch_.expansion.steps.clear();
    resolve();
    scoreViews();
    if (mayGoOn(!request_.terms.empty())) scoreTerms();
    if (mayGoOn(!request_.seeds.empty())) expandSeeds();
    fuseArms();
    rankCandidates();
    const bool wantsFeatures = !output_.features.empty() || scorer() != nullptr;
    if (wantsFeatures && !scratch_.ranked.empty() && mayGoOn(true)) assembleFeatures();
    write();
    summarise(arms_, scratch_, output_.stats);
    output_.stats.wanted = wanted_;
    clock_.lap();
    output_.stats.totalUs = clock_.sinceStart();
  }

 private:
  bool mayGoOn(bool wanted) {
    if (!wanted) return false;
    if (!clock_.isLate()) return true;
    output_.stats.partial = 1;
    return false;
  }

  void resolve() {
    arms_.visibility = resolveVisibility(snapshot_, parameters_.asOfMs, scratch_.invisible);
    unwanted_ = resolveFilter(snapshot_, arms_.visibility,
                              {parameters_.fromMs, parameters_.toMs, parameters_.session, parameters_.speaker,
                               request_.rowMask},
                              scratch_.unwanted);
    const double now = std::isfinite(parameters_.nowMs) ? parameters_.nowMs : snapshot_.newestMs;
    instantMs_ = std::isfinite(parameters_.asOfMs) ? parameters_.asOfMs : now;
    wanted_ = unwanted_ == arms_.visibility.excluded ? arms_.visibility.visible : countUnmarked(unwanted_, snapshot_.rows);
    output_.stats.visibilityUs = clock_.lap();
  }

  void scoreViews() {
    const std::size_t dimension = snapshot_.vectors.dimension();
    const QueryMaps* const maps = MapSets::process().find(parameters_.maps);
    const std::size_t given = request_.queries.size() / dimension;
    const std::size_t mapped = maps ? maps->count : 0;
    arms_.viewCount = given + mapped;
    float* const mappedQueries = scratch_.queries.ensure(mapped * dimension + 1);
    for (std::size_t i = 0; i < given; ++i) queries_[i] = request_.queries.data() + i * dimension;
    if (maps) {
      const float* rows[kMaxViews];
      for (std::size_t i = 0; i < mapped; ++i) rows[i] = maps->map(i);
      const kernels::Kernels& kernel = kernels::active();
      kernel.mapQuery(rows, mapped, maps->stride, dimension, queries_[0], mappedQueries, dimension);
      for (std::size_t i = 0; i < mapped; ++i) {
        kernel.normalise(mappedQueries + i * dimension, dimension);
        queries_[given + i] = mappedQueries + i * dimension;
      }
    }
    for (std::size_t i = 0; i < arms_.viewCount; ++i) arms_.views[i].weight = request_.viewWeights[i];
    if (arms_.viewCount != 0) {
      // Whole lines, so that no two views share one.
      const std::size_t stride = (snapshot_.rows + 15) / 16 * 16;
      float* const scores = scratch_.dense.ensure(arms_.viewCount * stride + 1);
      const ScorePrior prior{parameters_.densePriorMean, parameters_.densePriorDeviation,
                             parameters_.densePriorCount};
      scoreDense(snapshot_, arms_.visibility, request_.residency, queries_, arms_.viewCount, prior, scores, stride,
                 arms_.views);
    }
    output_.stats.denseUs = clock_.lap();
  }

  void scoreTerms() {
    const ScorePrior prior{parameters_.lexicalPriorMean, parameters_.lexicalPriorDeviation,
                           parameters_.lexicalPriorCount};
    arms_.lexical = scoreLexical(snapshot_, arms_.visibility,
                                 {request_.terms, request_.idf, parameters_.bm25K1, parameters_.bm25B},
                                 prior, scratch_.lexical);
    // Words that no turn unites say little: an implicit query meets memory in its commonplaces only.
    const double coverage = arms_.lexical.wantedIdf > 0 ? arms_.lexical.bestCoverage / arms_.lexical.wantedIdf : 0;
    arms_.lexicalWeight = parameters_.lexicalWeight * (1 + parameters_.coverageWeighting * (coverage - 1));
    output_.stats.lexicalUs = clock_.lap();
  }

  void expandSeeds() {
    arms_.expansion = expand(
        snapshot_, arms_.visibility,
        {request_.seeds, request_.seedWeights, request_.typeWeights,
         static_cast<std::size_t>(parameters_.hops), parameters_.hopDecay, parameters_.halfLifeMs,
         parameters_.hubDamping, static_cast<std::size_t>(parameters_.fanOut),
         static_cast<std::size_t>(parameters_.expansionBudget), instantMs_},
        scratch_.expansion);
    output_.stats.graphUs = clock_.lap();
  }

  void fuseArms() {
    arms_.mix = scratch_.mix.ensure(snapshot_.rows + 1);
    arms_.lent = scratch_.lent.ensure(snapshot_.rows + 1);
    arms_.fused = scratch_.fused.ensure(snapshot_.rows + 1);
    fuse(arms_, parameters_);
    chooseCandidates(arms_, parameters_, unwanted_, scratch_.candidates);
    if (snapshot_.vectors.scanFormat(snapshot_.rows) == VectorFormat::int8) correctQuantised();
  }

  /// Replaces the candidates' quantised scores by exact ones, then their mix. A neighbour that is no
  /// candidate keeps its quantised score.
  void correctQuantised() {
    for (const Row row : scratch_.candidates.rows) {
      for (std::size_t view = 0; view < arms_.viewCount; ++view) {
        arms_.views[view].scores[row] = exactScore(snapshot_, row, queries_[view]);
      }
      arms_.mix[row] = mixOf(arms_, parameters_, row);
      arms_.lent[row] = lentBy(arms_, parameters_, row);
    }
  }

  void rankCandidates() {
    scratch_.ranked.clear();
    for (std::size_t i = 0; i < scratch_.candidates.rows.size(); ++i) {
      Candidate candidate{scratch_.candidates.rows[i], scratch_.candidates.steps[i], 0, 0, {}};
      judge(candidate);
      scratch_.ranked.push_back(candidate);
    }
    order();
    output_.stats.fusionUs = clock_.lap();
  }

  /// Eq. 1, with what each arm gives. A content slope bends the sum of the content's parts; they are
  /// told as they were before it.
  void judge(Candidate& candidate) const {
    const Row row = candidate.row;
    const double content = parameters_.contentWeight;
    const float dense = static_cast<float>(parameters_.denseWeight) * denseZ(arms_, row);
    const float lexical = static_cast<float>(arms_.lexicalWeight) * lexicalZ(arms_, row);
    const float structure = structureGain(arms_, parameters_, row);
    const float graph = candidate.step == kNoPath ? 0 : arms_.expansion.steps[candidate.step].support();
    const float profile = snapshot_.profile ? snapshot_.profile[row] : 0;
    candidate.parts[part::dense] = static_cast<float>(content * dense);
    candidate.parts[part::lexical] = static_cast<float>(content * lexical);
    candidate.parts[part::structure] = static_cast<float>(content * structure);
    candidate.parts[part::graph] = static_cast<float>(parameters_.graphWeight * graph);
    candidate.parts[part::profile] = static_cast<float>(parameters_.profileWeight * profile);
    candidate.raw = static_cast<float>(content * contentOf(dense + lexical + structure, parameters_)) +
                    candidate.parts[part::graph] + candidate.parts[part::profile];
  }

  /// Sorts small keys and moves each candidate once; then ties. Instruction sets add up in different orders,
  /// so what is within rounding of the best of its kind is equal to it: the newer turn, then arrival, decides.
  void order() {
    std::vector<RankKey>& keys = scratch_.order;
    keys.clear();
    for (std::uint32_t i = 0; i < scratch_.ranked.size(); ++i) keys.push_back(rankKey(scratch_.ranked[i].raw, i));
    std::sort(keys.begin(), keys.end(), std::greater<>());
    scratch_.reordered.clear();
    for (const RankKey key : keys) scratch_.reordered.push_back(scratch_.ranked[rowOf(key)]);
    scratch_.ranked.swap(scratch_.reordered);
    settleTies();
  }

  /// Sums run in another order on another instruction set, and over rows with gaps: scores that differ by no
  /// more than that are one score, and the newer turn comes first.
  void settleTies() {
    std::vector<Candidate>& ranked = scratch_.ranked;
    const double* const atMs = snapshot_.columns.atMs();
    for (std::size_t first = 0; first < ranked.size();) {
      std::size_t end = first + 1;
      while (end < ranked.size() && ranked[first].raw - ranked[end].raw <= kTieTolerance) ++end;
      const float raw = ranked[first].raw;
      if (end - first > 1) {
        std::sort(ranked.begin() + std::ptrdiff_t(first), ranked.begin() + std::ptrdiff_t(end),
                  [atMs](const Candidate& left, const Candidate& right) {
                    const double one = atMs[left.row];
                    const double other = atMs[right.row];
                    return one != other ? one > other : left.row > right.row;
                  });
      }
      for (; first < end; ++first) ranked[first].raw = raw;
    }
  }

  const Perceptron* scorer() const { return Perceptrons::process().find(parameters_.scorer); }

  void assembleFeatures() {
    const std::size_t count = scratch_.ranked.size();
    float* const features = scratch_.features.ensure(count * feature::count);
    const bool hasCue = parameters_.speakerCue >= 0;
    const std::uint32_t cue =
        hasCue ? snapshot_.speakers.ordinalOf(static_cast<std::uint32_t>(parameters_.speakerCue))
               : GroupTable::kNone;
    SessionBest sessionBest(arms_, scratch_.sessionBest);
    for (std::size_t place = 0; place < count; ++place) {
      Candidate& candidate = scratch_.ranked[place];
      candidate.features = static_cast<std::uint32_t>(place);
      float* const row = features + place * feature::count;
      fillFeatures(arms_, parameters_, {instantMs_, cue, hasCue}, sessionBest, candidate, row);
      output_.stats.coverageBest = std::max<double>(output_.stats.coverageBest, row[feature::lexicalCoverage]);
    }
    hasFeatures_ = true;
    output_.stats.featuresUs = clock_.lap();
    if (const Perceptron* const perceptron = scorer(); mayGoOn(perceptron != nullptr)) {
      applyScorer(*perceptron, features);
    }
  }

  void applyScorer(const Perceptron& perceptron, const float* features) {
    const kernels::PackedMlp folded = foldInputs(perceptron, request_.queryFeatures, scratch_.scorerWeights);
    const std::size_t outputs = folded.shape.outputs;
    float* const scores = scratch_.scorer.ensure(scratch_.ranked.size() * outputs);
    kernels::active().mlpForward(folded, features, feature::count, scratch_.ranked.size(), scores);
    const auto weight = static_cast<float>(parameters_.scorerWeight);
    for (std::size_t i = 0; i < scratch_.ranked.size(); ++i) {
      Candidate& candidate = scratch_.ranked[i];
      candidate.raw = weight * scores[i * outputs] + (1 - weight) * candidate.raw;
    }
    order();
    output_.stats.scorerUs = clock_.lap();
  }

  void write() {
    const std::size_t limit = std::min(output_.rows.size(), static_cast<std::size_t>(parameters_.limit));
    const std::size_t count = std::min(limit, scratch_.ranked.size());
    const double prior = parameters_.priorOdds * std::log(std::max(1.0, double(wanted_)));
    for (std::size_t i = 0; i < count; ++i) {
      const Candidate& candidate = scratch_.ranked[i];
      output_.rows[i] = candidate.row;
      if (!output_.scores.empty()) {
        output_.scores[i] = logistic(static_cast<float>(parameters_.calibrationSlope * candidate.raw +
                                                        parameters_.calibrationOffset - prior));
      }
      if (!output_.paths.empty()) output_.paths[i] = candidate.step;
      if (!output_.parts.empty()) {
        std::copy_n(candidate.parts, std::size_t{part::count}, output_.parts.data() + i * part::count);
      }
      if (!output_.features.empty()) writeFeatures(i, candidate);
    }
    output_.count = static_cast<std::uint32_t>(count);
  }

  void writeFeatures(std::size_t place, const Candidate& candidate) {
    float* const out = output_.features.data() + place * feature::count;
    if (hasFeatures_) {
      std::copy_n(scratch_.features.data() + candidate.features * feature::count, std::size_t{feature::count},
                  out);
    } else {
      std::fill_n(out, std::size_t{feature::count}, 0.0f);
    }
  }

  const Snapshot& snapshot_;
  const RecallRequest& request_;
  const RecallParameters& parameters_;
  ReaderScratch& scratch_;
  RecallOutput& output_;
  StageClock clock_;
  Arms arms_{};
  const float* queries_[kMaxViews] = {};
  /// Rows that may not be returned.
  const std::uint64_t* unwanted_ = nullptr;
  std::uint32_t wanted_ = 0;
  double instantMs_ = 0;
  bool hasFeatures_ = false;
};

}  // namespace

Outcome recall(const Snapshot& snapshot, const RecallRequest& request, ReaderScratch& scratch,
               RecallOutput& output) {
  if (const Outcome outcome = checkRequest(snapshot, request, output); !outcome.ok()) return outcome;
  Recall(snapshot, request, scratch, output).run();
  return {};
}

}  // namespace ontomem
