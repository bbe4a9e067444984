// Small hand-made shards and requests for tests that name one behaviour each.
#pragma once

#include <initializer_list>
#include <limits>
#include <vector>

#include "ontomem/recall.hpp"
#include "ontomem/shard.hpp"

namespace ontomem::test {

inline constexpr double kForever = std::numeric_limits<double>::infinity();

struct SmallTurn {
  std::vector<float> vector;
  double atMs = 0;
  std::uint32_t session = 0;
  Row previous = kNoRow;
  std::vector<std::uint32_t> terms = {};
  std::uint32_t speaker = 0;
  std::uint32_t flags = 0;
};

/// Appends one turn; its length is its number of terms. Returns its row.
inline Row append(Shard& shard, const SmallTurn& turn) {
  std::vector<std::uint32_t> words;
  for (const std::uint32_t term : turn.terms) words.insert(words.end(), {term, 0u});
  const std::vector<std::uint16_t> counts(turn.terms.size(), 1);
  const auto terms = static_cast<std::uint32_t>(turn.terms.size());
  const std::uint32_t offsets[] = {0, terms};
  Row row = kNoRow;
  const Outcome outcome = shard.appendRows({1,
                                            turn.vector,
                                            {&turn.atMs, 1},
                                            {&turn.session, 1},
                                            {&turn.speaker, 1},
                                            {&turn.previous, 1},
                                            {&turn.flags, 1},
                                            offsets,
                                            words,
                                            counts,
                                            {&terms, 1}},
                                           row);
  return outcome.ok() ? row : kNoRow;
}

/// Appends one edge of the first stored type. Returns its number.
inline std::uint32_t link(Shard& shard, Node source, Node target, float weight, Row evidence = kNoRow,
                          double fromMs = -kForever, double toMs = kForever,
                          std::uint16_t type = edge_type::firstStored) {
  std::uint32_t edge = 0;
  const Outcome outcome = shard.appendEdges(
      {1, {&source, 1}, {&target, 1}, {&type, 1}, {&weight, 1}, {&fromMs, 1}, {&toMs, 1}, {&evidence, 1}}, edge);
  return outcome.ok() ? edge : kImplicitEdge;
}

constexpr Node concept_(std::uint32_t number) { return makeNode(NodeKind::concept_, number); }

/// A request with its arrays, and the answer.
struct Ask {
  std::vector<float> queries = {};
  std::vector<float> viewWeights = {};
  std::vector<std::uint32_t> terms = {};
  std::vector<Node> seeds = {};
  std::vector<float> seedWeights = {};
  std::vector<float> typeWeights = {};
  std::vector<float> queryFeatures = {};
  RecallParameters parameters = defaults();

  std::vector<Row> rows = {};
  std::vector<float> scores = {}, parts = {}, features = {};
  std::vector<std::uint32_t> paths = {};
  RecallStats stats = {};
  ReaderScratch scratch = {};

  static RecallParameters defaults() {
    RecallParameters p{};
    p.asOfMs = p.nowMs = p.toMs = p.halfLifeMs = p.deadlineUs = kForever;
    p.fromMs = -kForever;
    p.session = p.speaker = p.speakerCue = p.scorer = p.maps = -1;
    p.denseWeight = 0.7;
    p.lexicalWeight = 0.3;
    p.bm25K1 = 1.2;
    p.bm25B = 0.75;
    p.contentWeight = p.graphWeight = p.hopDecay = p.calibrationSlope = 1;
    p.hops = 2;
    p.fanOut = 16;
    p.expansionBudget = 1024;
    p.candidates = p.limit = 64;
    return p;
  }

  void view(std::vector<float> query, float weight = 1) {
    queries.insert(queries.end(), query.begin(), query.end());
    viewWeights.push_back(weight);
  }
  void term(std::uint32_t hash) { terms.insert(terms.end(), {hash, 0u}); }
  void seed(Node node, float weight = 1) {
    seeds.push_back(node);
    seedWeights.push_back(weight);
  }

  Outcome of(const Shard& shard) {
    constexpr std::size_t kRoom = 64;
    rows.assign(kRoom, kNoRow);
    scores.assign(kRoom, 0);
    parts.assign(kRoom * part::count, 0);
    features.assign(kRoom * feature::count, 0);
    paths.assign(kRoom, kNoPath);
    RecallRequest request{queries,     viewWeights, terms, {},           seeds,
                          seedWeights, typeWeights, {},    queryFeatures, parameters};
    RecallOutput output{rows, scores, parts, features, paths, {}, 0};
    const Outcome outcome = recall(shard.snapshot(), request, scratch, output);
    rows.resize(output.count);
    scores.resize(output.count);
    stats = output.stats;
    return outcome;
  }

  /// Place of a row in the answer, or -1.
  int placeOf(Row row) const {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i] == row) return static_cast<int>(i);
    }
    return -1;
  }
  float partOf(Row row, part::Index which) const {
    return parts[static_cast<std::size_t>(placeOf(row)) * part::count + which];
  }
  float featureOf(Row row, feature::Index which) const {
    return features[static_cast<std::size_t>(placeOf(row)) * feature::count + which];
  }
};

}  // namespace ontomem::test
