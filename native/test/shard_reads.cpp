// The reading half of the shard world: recalls and searches held against the model.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "shard_world.hpp"

namespace ontomem::test {
namespace {

constexpr double kForever = std::numeric_limits<double>::infinity();

bool near(double left, double right, double tolerance) {
  return std::abs(left - right) <= tolerance * (1 + std::abs(right));
}

}  // namespace

bool ShardWorld::read() {
  const bool old = remembered_.pin && chance(0.5);
  const Snapshot& snapshot = old ? *remembered_.snapshot : shard_->snapshot();
  const NaiveShard& model = old ? remembered_.model : model_;
  switch (below(4)) {
    case 0: return readSearch(snapshot, model);
    case 1: return readLexical(snapshot, model);
    default: return readRecall(snapshot, model);
  }
}

RecallRequest ShardWorld::randomRequest() {
  RecallRequest request{};
  const std::size_t views = below(3);
  queries_.clear();
  weights_.clear();
  for (std::size_t view = 0; view < views; ++view) {
    const std::vector<float> query = randomVector();
    queries_.insert(queries_.end(), query.begin(), query.end());
    weights_.push_back(static_cast<float>(1 + below(4)) / 4);
  }
  terms_.clear();
  const std::size_t firstTerm = below(30);
  for (std::size_t i = 0; i < below(6); ++i) {
    const std::uint64_t number = firstTerm + i;
    const std::uint64_t hash = number % 2 == 0 ? number : number << 59 | number;
    terms_.push_back(static_cast<std::uint32_t>(hash));
    terms_.push_back(static_cast<std::uint32_t>(hash >> 32));
  }
  seeds_.clear();
  seedWeights_.clear();
  for (std::size_t i = below(4); i-- > 0;) {
    seeds_.push_back(randomNode());
    seedWeights_.push_back(static_cast<float>(1 + below(8)) / 8);
  }
  const std::size_t hops = below(4);
  typeWeights_.clear();
  if (hops != 0 && chance(0.6)) {
    for (std::size_t i = 0; i < hops * 6 * 2; ++i) typeWeights_.push_back(static_cast<float>(below(3)) / 2);
  }
  mask_.clear();
  if (chance(0.15)) {
    for (std::size_t i = 0; i < model_.turns.size() / 32 + below(2); ++i) {
      mask_.push_back(static_cast<std::uint32_t>(random_()));
    }
  }
  request.queries = queries_;
  request.viewWeights = weights_;
  request.terms = terms_;
  request.seeds = seeds_;
  request.seedWeights = seedWeights_;
  request.typeWeights = typeWeights_;
  request.rowMask = mask_;

  RecallParameters& p = request.parameters;
  p.asOfMs = chance(0.5) ? kForever : static_cast<double>(below(55));
  p.nowMs = chance(0.5) ? kForever : static_cast<double>(below(70));
  p.fromMs = chance(0.8) ? -kForever : static_cast<double>(below(30));
  p.toMs = chance(0.8) ? kForever : static_cast<double>(below(60));
  p.session = chance(0.8) ? -1 : static_cast<double>(below(6) * 7);
  p.speaker = chance(0.8) ? -1 : static_cast<double>(below(4));
  p.speakerCue = chance(0.5) ? -1 : static_cast<double>(below(4));
  p.denseWeight = 0.7;
  p.lexicalWeight = 0.3;
  p.coverageWeighting = oneOf({0, 0.5, 1});
  p.previousGain = 0.35;
  p.neighbourFloor = oneOf({-1, 0, 1});
  p.nextGain = 0.2;
  p.bm25K1 = oneOf({0, 0.9, 1.2});
  p.bm25B = oneOf({0, 0.4, 0.75});
  p.densePriorCount = oneOf({0, 20});
  p.densePriorMean = 0.1;
  p.densePriorDeviation = 1;
  p.lexicalPriorCount = oneOf({0, 20});
  p.lexicalPriorDeviation = 2;
  p.contentSlope = oneOf({0, 0, 1.5});
  p.contentOffset = -1;
  p.graphWeight = 0.55;
  p.contentWeight = 0.35;
  p.profileWeight = 0.1;
  p.hops = static_cast<double>(hops);
  p.hopDecay = oneOf({0.5, 1});
  p.halfLifeMs = oneOf({10, kForever});
  p.hubDamping = oneOf({0, 0.5});
  p.fanOut = oneOf({8, 16});
  p.expansionBudget = 60000;
  p.candidates = chance(0.6) ? 4096 : static_cast<double>(below(20));
  p.denseQuota = static_cast<double>(below(5));
  p.lexicalQuota = static_cast<double>(below(5));
  p.graphQuota = static_cast<double>(below(5));
  p.limit = 4096;
  p.scorer = -1;
  p.maps = -1;
  p.calibrationSlope = 0.5;
  p.deadlineUs = kForever;
  return request;
}

bool ShardWorld::readRecall(const Snapshot& snapshot, const NaiveShard& model) {
  RecallRequest request = randomRequest();
  for (std::uint32_t& seed : seeds_) {
    if (nodeKind(seed) == NodeKind::turn && seed >= snapshot.rows) seed = makeNode(NodeKind::speaker, 0);
  }
  const std::size_t room = snapshot.rows + 1;
  std::vector<Row> rows(room);
  std::vector<float> scores(room), parts(room * part::count), features(room * feature::count);
  std::vector<std::uint32_t> paths(room);
  RecallOutput output{rows, scores, parts, features, paths, {}, 0};
  const Outcome outcome = recall(snapshot, request, scratch_, output);
  if (!outcome.ok()) return fail(outcome.problem);
  return matches(model, request, output);
}

bool ShardWorld::matches(const NaiveShard& model, const RecallRequest& request, const RecallOutput& output) {
  // Sums of eighths are exact; z-scores of a handful of rows magnify the rounding of single precision.
  constexpr double tolerance = 2e-4;
  const std::map<Row, NaiveScore> expected = model.recall(request);
  const std::size_t most = std::min(expected.size(), static_cast<std::size_t>(request.parameters.candidates));
  if (output.count != most) return fail("recall: wrong number of rows");
  for (std::size_t i = 0; i < output.count; ++i) {
    const auto found = expected.find(output.rows[i]);
    if (found == expected.end()) return fail("recall: returned a row that it must not");
    for (std::size_t place = 0; place < part::count; ++place) {
      if (!near(output.parts[i * part::count + place], found->second.parts[place], tolerance)) {
        std::fprintf(stderr, "row %u part %zu: %g, expected %g\n", output.rows[i], place,
                     double(output.parts[i * part::count + place]), found->second.parts[place]);
        return fail("recall: a part differs");
      }
    }
    const double score = 1 / (1 + std::exp(-0.5 * found->second.raw));
    if (!near(output.scores[i], score, tolerance)) return fail("recall: a score differs");
    if (i > 0 && output.scores[i] > output.scores[i - 1]) return fail("recall: scores ascend");
    const bool reached = output.paths[i] != kNoPath;
    if (!reached && output.parts[i * part::count + part::graph] != 0) return fail("recall: graph score without a path");
    if (reached) {
      Node nodes[kMaxHops + 1];
      std::uint32_t edges[kMaxHops], kinds[kMaxHops];
      const std::size_t length = readPath(scratch_, output.paths[i], nodes, edges, kinds);
      if (length == 0 || nodes[length - 1] != output.rows[i]) return fail("readPath: does not end at its row");
      const bool fromSeed = std::find(seeds_.begin(), seeds_.end(), nodes[0]) != seeds_.end();
      if (!fromSeed) return fail("readPath: does not begin at a seed");
    }
    for (std::size_t place = 0; place < feature::count; ++place) {
      if (!std::isfinite(output.features[i * feature::count + place])) return fail("recall: a feature is not finite");
    }
  }
  // The best by the fused score is never lost, whatever the quotas.
  if (output.count == 0) return true;
  double best = -kForever;
  for (const auto& [row, score] : expected) best = std::max(best, score.raw);
  return near(expected.at(output.rows[0]).raw, best, 1e-3) || fail("recall: the best row is missing");
}

bool ShardWorld::readSearch(const Snapshot& snapshot, const NaiveShard& model) {
  const std::size_t count = chance(0.6) ? 1 : 2 + below(40);
  const std::size_t k = 1 + below(20);
  std::vector<float> queries;
  for (std::size_t i = 0; i < count; ++i) {
    const std::vector<float> query = randomVector();
    queries.insert(queries.end(), query.begin(), query.end());
  }
  std::vector<Row> rows(count * k);
  std::vector<float> scores(count * k);
  std::vector<std::uint32_t> counts(count);
  const Outcome outcome = searchFlat(snapshot, queries, k, scratch_, rows, scores, counts);
  if (!outcome.ok()) return fail(outcome.problem);
  for (std::size_t i = 0; i < count; ++i) {
    const float* const query = queries.data() + i * kWorldDimension;
    std::vector<std::pair<double, Row>> expected;
    for (Row row = 0; row < model.turns.size(); ++row) {
      if (!model.turns[row].forgotten) expected.emplace_back(model.dot(row, query), row);
    }
    std::sort(expected.rbegin(), expected.rend());
    if (counts[i] != std::min(k, expected.size())) return fail("search: wrong count");
    for (std::size_t place = 0; place < counts[i]; ++place) {
      const Row row = rows[i * k + place];
      if (model.turns[row].forgotten) return fail("search: returned a forgotten row");
      if (!near(scores[i * k + place], model.dot(row, query), 1e-5)) return fail("search: a score differs");
      // Exact sums of eighths: ties are true ties, and the order is fully determined.
      if (row != expected[place].second) return fail("search: wrong row");
    }
  }
  return true;
}

bool ShardWorld::readLexical(const Snapshot& snapshot, const NaiveShard& model) {
  randomRequest();
  const std::size_t k = 1 + below(30);
  std::vector<Row> rows(k);
  std::vector<float> scores(k);
  std::uint32_t count = 0;
  const Outcome outcome = searchLexical(snapshot, {terms_, {}, 1.2, 0.75}, k, scratch_, rows, scores, count);
  if (!outcome.ok()) return fail(outcome.problem);
  const std::map<Row, double> expected = model.lexical(hashesOf(terms_), 1.2, 0.75, kForever);
  std::vector<double> sorted;
  for (const auto& [row, score] : expected) sorted.push_back(score);
  std::sort(sorted.rbegin(), sorted.rend());
  if (count != std::min(k, sorted.size())) return fail("lexical: wrong count");
  for (std::size_t i = 0; i < count; ++i) {
    const auto found = expected.find(rows[i]);
    if (found == expected.end()) return fail("lexical: returned a row without a term");
    if (!near(scores[i], found->second, 1e-4) || !near(scores[i], sorted[i], 1e-4)) return fail("lexical: a score differs");
  }
  return true;
}

}  // namespace ontomem::test
