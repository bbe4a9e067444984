#include "conversation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "ontomem/kernels.hpp"

namespace ontomem::bench {
namespace {

constexpr std::size_t kTopics = 24;
constexpr std::size_t kVocabulary = 20000;
constexpr std::size_t kTermsPerTurn = 12;
constexpr std::size_t kTermsPerQuestion = 8;
constexpr std::size_t kConcepts = 60;
constexpr std::size_t kTurnsPerSession = 25;
constexpr double kMinuteMs = 60'000;
constexpr double kForever = std::numeric_limits<double>::infinity();

/// A unit vector: a topic's direction (the same for every user) and noise of equal length.
void drawVector(std::size_t dimension, std::mt19937_64& random, float* out) {
  std::mt19937_64 topic(random() % kTopics);
  std::normal_distribution<float> normal;
  for (std::size_t i = 0; i < dimension; ++i) out[i] = normal(topic);
  normal.reset();
  for (std::size_t i = 0; i < dimension; ++i) out[i] += normal(random);
  kernels::active().normalise(out, dimension);
}

/// Zipf with exponent 1: the inverse of its continuous distribution. Hashed, so that keys spread.
std::uint64_t drawTerm(std::mt19937_64& random) {
  const double uniform = std::uniform_real_distribution<double>(0, 1)(random);
  const auto rank = static_cast<std::uint64_t>(std::pow(double(kVocabulary), uniform));
  return (rank + 1) * 0x9e3779b97f4a7c15;
}

std::vector<std::uint64_t> drawTerms(std::size_t count, std::mt19937_64& random) {
  std::unordered_set<std::uint64_t> terms;
  while (terms.size() < count) terms.insert(drawTerm(random));
  return {terms.begin(), terms.end()};
}

void pushHash(std::vector<std::uint32_t>& words, std::uint64_t hash) {
  words.push_back(static_cast<std::uint32_t>(hash));
  words.push_back(static_cast<std::uint32_t>(hash >> 32));
}

Node drawConcept(std::mt19937_64& random) {
  return makeNode(NodeKind::concept_, static_cast<std::uint32_t>(random() % kConcepts));
}

void appendAssertions(Shard& shard, std::size_t turns, std::mt19937_64& random) {
  EdgeBatch batch;
  std::vector<Node> source, target;
  std::vector<std::uint16_t> type;
  std::vector<float> weight;
  std::vector<double> fromMs, toMs;
  std::vector<Row> evidence;
  for (Row row = 0; row < turns; ++row) {
    if (row % 3 == 0) continue;
    source.push_back(row % 2 == 0 ? makeNode(NodeKind::speaker, 0) : drawConcept(random));
    target.push_back(drawConcept(random));
    type.push_back(static_cast<std::uint16_t>(edge_type::firstStored + random() % 12));
    weight.push_back(0.2f + 0.8f * static_cast<float>(random() % 1000) / 1000);
    fromMs.push_back(row * kMinuteMs);
    toMs.push_back(kForever);
    evidence.push_back(row);
  }
  batch.count = source.size();
  batch.source = source;
  batch.target = target;
  batch.type = type;
  batch.weight = weight;
  batch.fromMs = fromMs;
  batch.toMs = toMs;
  batch.evidence = evidence;
  std::uint32_t first = 0;
  (void)shard.appendEdges(batch, first);
}

}  // namespace

void fillShard(Shard& shard, std::size_t dimension, std::size_t turns, std::mt19937_64& random) {
  std::vector<float> vectors(turns * dimension);
  std::vector<double> atMs;
  std::vector<std::uint32_t> session, speaker, previous, flags, offsets{0}, terms, length;
  std::vector<std::uint16_t> counts;
  for (Row row = 0; row < turns; ++row) {
    drawVector(dimension, random, vectors.data() + row * dimension);
    atMs.push_back(row * kMinuteMs);
    session.push_back(static_cast<std::uint32_t>(row / kTurnsPerSession));
    speaker.push_back(row % 2);
    previous.push_back(row % kTurnsPerSession == 0 ? kNoRow : row - 1);
    flags.push_back(static_cast<std::uint32_t>(random() % 16));
    length.push_back(static_cast<std::uint32_t>(kTermsPerTurn + random() % 20));
    for (const std::uint64_t hash : drawTerms(kTermsPerTurn, random)) {
      pushHash(terms, hash);
      counts.push_back(1);
    }
    offsets.push_back(static_cast<std::uint32_t>(counts.size()));
  }
  Row first = 0;
  (void)shard.appendRows(
      {turns, vectors, atMs, session, speaker, previous, flags, offsets, terms, counts, length}, first);
  appendAssertions(shard, turns, random);
}

Question makeQuestion(std::size_t dimension, std::size_t queryFeatures, std::mt19937_64& random) {
  Question question;
  question.vector.resize(dimension);
  drawVector(dimension, random, question.vector.data());
  for (const std::uint64_t hash : drawTerms(kTermsPerQuestion, random)) pushHash(question.terms, hash);
  question.seeds = {drawConcept(random), drawConcept(random), makeNode(NodeKind::speaker, 0)};
  question.seedWeights = {1, 0.8f, 0.3f};
  question.features.assign(queryFeatures, 0.25f);
  return question;
}

RecallParameters benchParameters() {
  RecallParameters p{};
  p.asOfMs = p.nowMs = p.toMs = p.deadlineUs = kForever;
  p.fromMs = -kForever;
  p.session = p.speaker = p.speakerCue = p.scorer = p.maps = -1;
  p.denseWeight = 0.7;
  p.lexicalWeight = 0.3;
  p.previousGain = 0.35;
  p.nextGain = 0.2;
  p.bm25K1 = 1.2;
  p.bm25B = 0.75;
  p.densePriorCount = p.lexicalPriorCount = 20;
  p.densePriorDeviation = 0.1;
  p.lexicalPriorDeviation = 2;
  p.graphWeight = 0.55;
  p.contentWeight = 0.35;
  p.profileWeight = 0.1;
  p.hops = 2;
  p.hopDecay = 0.7;
  p.halfLifeMs = 90 * 1440 * kMinuteMs;
  p.hubDamping = 0.3;
  p.fanOut = 16;
  p.expansionBudget = 1024;
  p.candidates = 64;
  p.denseQuota = p.lexicalQuota = p.graphQuota = 16;
  p.limit = 10;
  p.scorerWeight = 0.5;
  p.calibrationSlope = 1;
  return p;
}

}  // namespace ontomem::bench
