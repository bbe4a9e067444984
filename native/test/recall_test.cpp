// What a recall promises, one behaviour a function.
#include <cmath>
#include <cstdlib>

#include "expect.hpp"
#include "small_shard.hpp"

namespace ontomem::test {
namespace {

void anEmptyShardAnswersNothing() {
  Shard shard(2, VectorFormat::f32);
  Ask ask;
  ask.view({1, 0});
  ask.term(1);
  ask.seed(concept_(1));
  EXPECT(ask.of(shard).ok(), "an empty shard can be asked");
  EXPECT(ask.rows.empty() && ask.stats.visible == 0, "and answers nothing");
}

void scoresLieInTheUnitIntervalAndDescend() {
  Shard shard(2, VectorFormat::f32);
  for (int i = 0; i < 20; ++i) append(shard, {{std::cos(0.3f * float(i)), std::sin(0.3f * float(i))}, double(i)});
  Ask ask;
  ask.view({1, 0});
  EXPECT(ask.of(shard).ok() && ask.rows.size() == 20, "every turn is a candidate of a small scope");
  EXPECT(ask.rows[0] == 0, "the nearest turn comes first");
  for (std::size_t i = 0; i < ask.scores.size(); ++i) {
    EXPECT(ask.scores[i] >= 0 && ask.scores[i] <= 1, "a score lies in [0, 1]");
    EXPECT(i == 0 || ask.scores[i] <= ask.scores[i - 1], "scores descend");
  }
}

void equalScoresGoToTheNewerTurn() {
  Shard shard(2, VectorFormat::f32);
  const Row late = append(shard, {{1, 0}, 9});
  const Row early = append(shard, {{1, 0}, 1});
  append(shard, {{0, 1}, 5});
  Ask ask;
  ask.view({1, 0});
  EXPECT(ask.of(shard).ok() && ask.rows[0] == late && ask.rows[1] == early, "of equal turns the later said comes first");
}

void aTurnGainsFromItsNeighbours() {
  Shard shard(2, VectorFormat::f32);
  const Row asked = append(shard, {{1, 0}, 0});
  const Row answered = append(shard, {{0, 1}, 1, 0, asked});
  const Row elsewhere = append(shard, {{0, 1}, 2, 1});
  Ask ask;
  ask.view({1, 0});
  ask.parameters.previousGain = 0.35;
  ask.parameters.nextGain = 0.2;
  ask.parameters.neighbourFloor = -10;
  EXPECT(ask.of(shard).ok(), "recall runs");
  EXPECT(ask.placeOf(answered) < ask.placeOf(elsewhere), "an answer beats the same words elsewhere");
  const float mixAsked = ask.partOf(asked, part::dense);
  const float mixAnswered = ask.partOf(answered, part::dense);
  EXPECT(std::abs(ask.partOf(answered, part::structure) - 0.35f * (mixAsked + 10)) < 1e-5f,
         "by .35 of what the turn before has above the floor");
  EXPECT(std::abs(ask.partOf(asked, part::structure) - 0.2f * (mixAnswered + 10)) < 1e-5f, "and .2 of the turn after");
  ask.parameters.neighbourFloor = 100;
  EXPECT(ask.of(shard).ok() && ask.partOf(answered, part::structure) == 0, "a neighbour below the floor lends nothing");
}

void noArmGatesAnother() {
  Shard shard(2, VectorFormat::f32);
  const Row keyword = append(shard, {{-1, 0}, 0, 0, kNoRow, {77}});
  const Row linked = append(shard, {{-1, 0}, 1});
  for (int i = 0; i < 100; ++i) append(shard, {{1, 0.001f * float(i)}, double(i + 2), 0, kNoRow, {5}});
  link(shard, concept_(4), linked, 0.1f);
  Ask ask;
  ask.view({1, 0});
  ask.term(77);
  ask.seed(concept_(4));
  ask.parameters.candidates = 6;
  ask.parameters.denseQuota = ask.parameters.lexicalQuota = ask.parameters.graphQuota = 2;
  EXPECT(ask.of(shard).ok() && ask.rows.size() == 6, "six candidates");
  EXPECT(ask.placeOf(keyword) >= 0, "the only exact keyword is one, though its vector is the farthest");
  EXPECT(ask.placeOf(linked) >= 0, "the only graph hit is one, though nothing else speaks for it");
}

void asOfAnswersAsItWouldHaveThen() {
  Shard then(2, VectorFormat::f32);
  Shard now(2, VectorFormat::f32);
  Row previous = kNoRow;
  for (int i = 0; i < 30; ++i) {
    const SmallTurn turn{{std::cos(float(i)), std::sin(float(i))}, double(i), 0, previous, {std::uint32_t(i % 4), 9}};
    if (i < 20) append(then, turn);
    previous = append(now, turn);
  }
  link(then, concept_(1), 3, 0.5f, 3);
  const std::uint32_t edge = link(now, concept_(1), 3, 0.5f, 3);
  const double closedAt = 25;
  EXPECT(now.closeEdges({&edge, 1}, {&closedAt, 1}).ok(), "the edge is superseded later");
  Ask before, after;
  for (Ask* ask : {&before, &after}) {
    ask->view({1, 0});
    ask->term(2);
    ask->term(9);
    ask->seed(concept_(1));
    ask->parameters.previousGain = 0.35;
    ask->parameters.nextGain = 0.2;
    ask->parameters.asOfMs = 19;
  }
  EXPECT(before.of(then).ok() && after.of(now).ok(), "both run");
  EXPECT(before.rows == after.rows && before.scores == after.scores, "later turns change nothing");
  after.parameters.asOfMs = kForever;
  EXPECT(after.of(now).ok() && after.stats.graphReached == 0, "now the closed edge is not walked");
}

void filtersDoNotChangeScores() {
  Shard shard(2, VectorFormat::f32);
  Row previous = kNoRow;
  for (std::uint32_t i = 0; i < 12; ++i) {
    previous = append(shard, {{std::cos(float(i)), std::sin(float(i))}, double(i), 0, previous, {i % 3}, i % 2});
  }
  Ask all, one;
  for (Ask* ask : {&all, &one}) {
    ask->view({1, 0});
    ask->term(1);
    ask->parameters.previousGain = 0.35;
  }
  one.parameters.speaker = 1;
  EXPECT(all.of(shard).ok() && one.of(shard).ok() && one.rows.size() == 6, "half of the turns are hers");
  for (std::size_t i = 0; i < one.rows.size(); ++i) {
    EXPECT(one.rows[i] % 2 == 1, "only hers are returned");
    EXPECT(one.scores[i] == all.scores[static_cast<std::size_t>(all.placeOf(one.rows[i]))], "with the scores they have anyway");
  }
}

void theDeadlineCutsStagesOff() {
  Shard shard(2, VectorFormat::f32);
  for (int i = 0; i < 50; ++i) append(shard, {{1, float(i)}, double(i), 0, kNoRow, {3}});
  Ask ask;
  ask.view({1, 0});
  ask.term(3);
  ask.parameters.deadlineUs = 0;
  EXPECT(ask.of(shard).ok() && ask.stats.partial == 1, "a recall past its deadline says so");
  EXPECT(ask.rows.size() == 50 && ask.stats.termsKnown == 0, "and returns what the dense arm found");
  ask.parameters.deadlineUs = 1e9;
  EXPECT(ask.of(shard).ok() && ask.stats.partial == 0 && ask.stats.termsKnown == 1, "in time it is whole");
}

void badRequestsAreRefused() {
  Shard shard(2, VectorFormat::f32);
  append(shard, {{1, 0}});
  const auto statusOf = [&](auto change) {
    Ask ask;
    ask.view({1, 0});
    change(ask);
    return ask.of(shard).status;
  };
  EXPECT(statusOf([](Ask&) {}) == Status::ok, "the request is good as it stands");
  EXPECT(statusOf([](Ask& a) { a.queries[1] = std::nanf(""); }) == Status::notFinite, "a NaN query");
  EXPECT(statusOf([](Ask& a) { a.queries.push_back(1); }) == Status::badArgument, "a query of another dimension");
  EXPECT(statusOf([](Ask& a) { a.viewWeights.clear(); }) == Status::badArgument, "a view without a weight");
  EXPECT(statusOf([](Ask& a) { a.terms.push_back(1); }) == Status::badArgument, "half a term");
  EXPECT(statusOf([](Ask& a) { a.seeds.push_back(7), a.seedWeights.push_back(1); }) == Status::badArgument, "a seed row that is not there");
  EXPECT(statusOf([](Ask& a) { a.seed(concept_(1), 2); }) == Status::badArgument, "a seed weight over 1");
  EXPECT(statusOf([](Ask& a) { a.parameters.hops = 9; }) == Status::badArgument, "too many hops");
  EXPECT(statusOf([](Ask& a) { a.parameters.denseWeight = kForever; }) == Status::notFinite, "an infinite weight");
  EXPECT(statusOf([](Ask& a) { a.parameters.calibrationSlope = 0; }) == Status::badArgument, "a slope that is not monotone");
  EXPECT(statusOf([](Ask& a) { a.parameters.scorer = 200; }) == Status::badArgument, "a scorer that is not loaded");
  EXPECT(statusOf([](Ask& a) { a.parameters.asOfMs = std::nan(""); }) == Status::badArgument, "a time that is no number");
}

void featuresTellWhatTheyAreNamedFor() {
  Shard shard(2, VectorFormat::f32);
  constexpr double kDay = 86'400'000;
  const Row first = append(shard, {{1, 0}, 0, 4, kNoRow, {1, 2}, 0, row_flag::questionMark});
  const Row second = append(shard, {{0, 1}, kDay, 4, first, {2}, 1, row_flag::caption | row_flag::dated});
  Ask ask;
  ask.view({1, 0});
  ask.term(1);
  ask.term(2);
  ask.seed(concept_(3));
  link(shard, concept_(3), second, 0.5f);
  ask.parameters.nowMs = 2 * kDay;
  ask.parameters.speakerCue = 1;
  EXPECT(ask.of(shard).ok() && ask.rows.size() == 2, "both turns");
  EXPECT(ask.featureOf(first, feature::dense0) == 1 && ask.featureOf(second, feature::dense0) == 0, "inner products");
  EXPECT(ask.featureOf(first, feature::speakerMatch) == -1 && ask.featureOf(second, feature::speakerMatch) == 1, "speaker");
  EXPECT(ask.featureOf(first, feature::questionMark) == 1 && ask.featureOf(second, feature::questionMark) == 0, "question");
  EXPECT(ask.featureOf(second, feature::previousQuestionMark) == 1, "question before");
  EXPECT(ask.featureOf(second, feature::caption) == 1 && ask.featureOf(second, feature::dated) == 1, "flags");
  EXPECT(std::abs(ask.featureOf(first, feature::age) - std::log(3.0f)) < 1e-5f, "age in days");
  EXPECT(std::abs(ask.featureOf(first, feature::length) - std::log(3.0f)) < 1e-5f, "length in tokens");
  EXPECT(ask.featureOf(first, feature::lexicalCoverage) == 1, "a turn with all terms covers the query");
  EXPECT(ask.featureOf(second, feature::graph) == 0.5f && ask.featureOf(second, feature::graphHops) == 0.5f, "graph");
  EXPECT(ask.featureOf(second, feature::densePrevious0) == ask.featureOf(first, feature::denseZ0), "the turn before");
  EXPECT(ask.featureOf(first, feature::denseNext0) == ask.featureOf(second, feature::denseZ0), "the turn after");
  EXPECT(ask.featureOf(first, feature::sessionGap) == 0 && ask.featureOf(second, feature::sessionGap) < 0, "session's best");
}

}  // namespace
}  // namespace ontomem::test

int main() {
  using namespace ontomem::test;
  anEmptyShardAnswersNothing();
  scoresLieInTheUnitIntervalAndDescend();
  equalScoresGoToTheNewerTurn();
  aTurnGainsFromItsNeighbours();
  noArmGatesAnother();
  asOfAnswersAsItWouldHaveThen();
  filtersDoNotChangeScores();
  theDeadlineCutsStagesOff();
  badRequestsAreRefused();
  featuresTellWhatTheyAreNamedFor();
  return tally().report("recall");
}
