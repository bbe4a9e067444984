// What metapath expansion promises, one behaviour a function.
#include <cmath>

#include "expect.hpp"
#include "small_shard.hpp"

namespace ontomem::test {
namespace {

bool near(float left, float right) { return std::abs(left - right) < 1e-5f; }

/// Six unrelated turns in two sessions, nobody's neighbour.
void fill(Shard& shard) {
  for (std::uint32_t i = 0; i < 6; ++i) append(shard, {{1, 0}, double(i), i / 3, kNoRow, {}, i % 2});
}

/// Walks stored edges only, unless told otherwise.
Ask walk(std::size_t hops) {
  Ask ask;
  ask.parameters.hops = double(hops);
  ask.typeWeights.assign(hops * 8 * 2, 1);
  for (std::size_t hop = 0; hop < hops; ++hop) {
    for (std::size_t i = 0; i < edge_type::firstStored * 2u; ++i) ask.typeWeights[hop * 16 + i] = 0;
  }
  ask.seed(concept_(0));
  return ask;
}

void walksTwoHopsAndTellsThePath() {
  Shard shard(2, VectorFormat::f32);
  fill(shard);
  const std::uint32_t first = link(shard, concept_(0), concept_(1), 0.8f);
  const std::uint32_t second = link(shard, 4, concept_(1), 0.5f);
  Ask ask = walk(2);
  ask.parameters.hopDecay = 0.5;
  EXPECT(ask.of(shard).ok(), "recall runs");
  EXPECT(near(ask.partOf(4, part::graph), 0.8f * 0.5f * 0.5f * 0.5f), "weights and decay multiply along the way");
  Node nodes[8];
  std::uint32_t edges[8], kinds[8];
  const std::uint32_t path = ask.paths[static_cast<std::size_t>(ask.placeOf(4))];
  EXPECT(readPath(ask.scratch, path, nodes, edges, kinds) == 3, "three nodes");
  EXPECT(nodes[0] == concept_(0) && nodes[1] == concept_(1) && nodes[2] == 4, "from the seed to the turn");
  EXPECT(edges[0] == first && edges[1] == second, "by these edges");
  EXPECT(kinds[0] == edge_type::firstStored * 2 && kinds[1] == edge_type::firstStored * 2 + 1, "the second one backward");
  EXPECT(readPath(ask.scratch, path, {nodes, 2}, edges, kinds) == 0, "a path that does not fit is not cut");
  EXPECT(readPath(ask.scratch, kNoPath, nodes, edges, kinds) == 0, "no path, no steps");
  Ask one = walk(1);
  EXPECT(one.of(shard).ok() && one.stats.graphReached == 0, "one hop does not get there");
}

void aFactLeadsToTheTurnThatSaysIt() {
  Shard shard(2, VectorFormat::f32);
  fill(shard);
  link(shard, concept_(0), concept_(1), 0.9f, 3);
  Ask ask = walk(1);
  EXPECT(ask.of(shard).ok() && near(ask.partOf(3, part::graph), 0.9f), "its evidence is reached with the edge");
  const Row said = 3;
  EXPECT(shard.tombstoneRows({&said, 1}).ok() && ask.of(shard).ok(), "the turn is forgotten");
  EXPECT(ask.stats.graphReached == 0, "and the fact with it");
}

void supportAddsUpWithoutPassingOne() {
  Shard shard(2, VectorFormat::f32);
  fill(shard);
  link(shard, concept_(0), 2, 0.5f);
  link(shard, concept_(1), 2, 0.5f);
  Ask ask = walk(1);
  ask.seed(concept_(1));
  EXPECT(ask.of(shard).ok(), "recall runs");
  EXPECT(near(ask.partOf(2, part::graph), 0.75f), "two ways of a half make three quarters");
  EXPECT(near(ask.featureOf(2, feature::graphBest), 0.5f), "the best one is a half");
}

void typesHopByHop() {
  Shard shard(2, VectorFormat::f32);
  fill(shard);
  link(shard, concept_(0), 1, 1, kNoRow, -kForever, kForever, 3);
  link(shard, concept_(0), 2, 1, kNoRow, -kForever, kForever, 4);
  Ask ask = walk(1);
  ask.typeWeights[3 * 2] = 0;
  EXPECT(ask.of(shard).ok(), "recall runs");
  EXPECT(ask.partOf(1, part::graph) == 0 && ask.partOf(2, part::graph) == 1, "a type of weight 0 is not walked");
}

void edgesAgeAndEnd() {
  Shard shard(2, VectorFormat::f32);
  fill(shard);
  link(shard, concept_(0), 1, 1, kNoRow, 0, kForever);
  link(shard, concept_(0), 2, 1, kNoRow, 100, kForever);
  link(shard, concept_(0), 3, 1, kNoRow, 0, 100);
  link(shard, concept_(0), 4, 1, kNoRow, 101, kForever);
  Ask ask = walk(1);
  ask.parameters.nowMs = 100;
  ask.parameters.halfLifeMs = 50;
  EXPECT(ask.of(shard).ok(), "recall runs");
  EXPECT(near(ask.partOf(1, part::graph), 0.25f), "two half-lives leave a quarter");
  EXPECT(ask.partOf(2, part::graph) == 1, "an edge that begins now has not aged");
  EXPECT(ask.partOf(3, part::graph) == 0, "an edge that ends now is over");
  EXPECT(ask.partOf(4, part::graph) == 0, "one that begins later has not begun");
}

void budgetsBound() {
  Shard shard(2, VectorFormat::f32);
  for (int i = 0; i < 200; ++i) append(shard, {{1, 0}, double(i)});
  for (Row row = 0; row < 200; ++row) link(shard, concept_(0), row, row == 150 ? 1.0f : 0.25f);
  Ask ask = walk(1);
  ask.parameters.fanOut = 4;
  EXPECT(ask.of(shard).ok() && ask.stats.graphReached == 4, "no more than the fan-out are followed");
  EXPECT(ask.partOf(150, part::graph) == 1, "the best among those looked at");
  EXPECT(ask.partOf(199, part::graph) > 0, "then the newest");
  ask.parameters.fanOut = 64;
  ask.parameters.expansionBudget = 10;
  EXPECT(ask.of(shard).ok() && ask.stats.edgesExamined == 10 && ask.stats.budgetSpent == 1, "the budget ends it");
}

void structureIsWalkedFromTheRows() {
  Shard shard(2, VectorFormat::f32);
  const Row first = append(shard, {{1, 0}, 0, 7, kNoRow, {}, 2});
  const Row second = append(shard, {{1, 0}, 1, 7, first, {}, 3});
  const Row other = append(shard, {{1, 0}, 2, 8, kNoRow, {}, 3});
  Ask ask;
  ask.parameters.hops = 1;
  ask.seed(first);
  EXPECT(ask.of(shard).ok() && ask.partOf(second, part::graph) == 1, "NEXT leads to the following turn");
  EXPECT(ask.partOf(other, part::graph) == 0, "one hop goes no further");
  Ask session;
  session.seed(makeNode(NodeKind::session, 7));
  session.parameters.hops = 1;
  EXPECT(session.of(shard).ok() && session.stats.graphReached == 2, "a session leads to its turns");
  Ask speaker;
  speaker.seed(makeNode(NodeKind::speaker, 3));
  speaker.parameters.hops = 1;
  EXPECT(speaker.of(shard).ok() && speaker.partOf(other, part::graph) == 1 && speaker.partOf(first, part::graph) == 0,
         "a speaker leads to what they said");
  Ask unknown;
  unknown.seed(makeNode(NodeKind::session, 99));
  EXPECT(unknown.of(shard).ok() && unknown.stats.graphReached == 0, "an unknown session leads nowhere");
}

void hubsAreDamped() {
  Shard shard(2, VectorFormat::f32);
  fill(shard);
  for (Row row = 0; row < 4; ++row) link(shard, concept_(0), row, 1);
  Ask ask = walk(1);
  ask.parameters.hubDamping = 0.5;
  EXPECT(ask.of(shard).ok() && near(ask.partOf(0, part::graph), 0.5f), "four ends and an exponent of a half: a half each");
}

void badEdgesAreRefused() {
  Shard shard(2, VectorFormat::f32);
  fill(shard);
  EXPECT(link(shard, 6, 1, 1) == kImplicitEdge, "from a turn that is not there");
  EXPECT(link(shard, concept_(0), 1, -1) == kImplicitEdge, "of negative weight");
  EXPECT(link(shard, concept_(0), 1, std::nanf("")) == kImplicitEdge, "of no weight");
  EXPECT(link(shard, concept_(0), 1, 1, 6) == kImplicitEdge, "by a turn that is not there");
  EXPECT(link(shard, concept_(0), 1, 1, kNoRow, 0, 1, edge_type::inSession) == kImplicitEdge, "of a structural type");
  EXPECT(shard.snapshot().edges.size() == 0, "nothing of them is kept");
}

}  // namespace
}  // namespace ontomem::test

int main() {
  using namespace ontomem::test;
  walksTwoHopsAndTellsThePath();
  aFactLeadsToTheTurnThatSaysIt();
  supportAddsUpWithoutPassingOne();
  typesHopByHop();
  edgesAgeAndEnd();
  budgetsBound();
  structureIsWalkedFromTheRows();
  hubsAreDamped();
  badEdgesAreRefused();
  return tally().report("graph");
}
