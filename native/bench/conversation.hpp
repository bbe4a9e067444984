// Made-up users for benchmarks: conversations with the statistics of real ones.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "ontomem/recall.hpp"
#include "ontomem/shard.hpp"

namespace ontomem::bench {

/// A question about a user: its arrays, and a request that points to them.
struct Question {
  std::vector<float> vector;
  std::vector<std::uint32_t> terms;
  std::vector<Node> seeds;
  std::vector<float> seedWeights;
  std::vector<float> features;
};

/// Fills a shard with `turns` turns: unit vectors around topics, sessions of 25 turns between two
/// speakers, 12 distinct terms a turn from a Zipf vocabulary, and two assertions every three turns that
/// link the user to concepts and cite their turn.
void fillShard(Shard& shard, std::size_t dimension, std::size_t turns, std::mt19937_64& random);

/// A question near one of the topics: 8 terms, 3 concepts, `queryFeatures` features of its own.
Question makeQuestion(std::size_t dimension, std::size_t queryFeatures, std::mt19937_64& random);

/// All stages on, 64 candidates, 10 returned, 2 hops.
RecallParameters benchParameters();

}  // namespace ontomem::bench
