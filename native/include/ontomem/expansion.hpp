// The graph arm: metapath expansion from seed nodes, breadth first, within a budget.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ontomem/scratch.hpp"
#include "ontomem/visibility.hpp"

namespace ontomem {

inline constexpr std::size_t kMaxHops = 4;
inline constexpr std::uint32_t kNoPath = 0xffffffff;
/// In PathStep::edge: the step was read from the row columns, not from a stored edge.
inline constexpr std::uint32_t kImplicitEdge = 0xffffffff;

struct ExpansionQuery {
  std::span<const Node> seeds;
  /// In [0, 1], one a seed.
  std::span<const float> seedWeights;
  /// Metapaths as weights [hops][types][2 directions] in [0, 1]; 0 = that type is not walked at that
  /// hop. Types beyond the array are not walked. Empty = every type counts 1 at every hop.
  std::span<const float> typeWeights;
  std::size_t hops;
  double hopDecay;
  double halfLifeMs;
  double hubDamping;
  std::size_t fanOut;
  std::size_t budget;
  /// Edges must be valid at this time; their age is counted back from it.
  double instantMs;
};

/// A node reached, with the best way to it: follow `parent` up to a seed (kNoPath).
struct PathStep {
  Node node;
  std::uint32_t parent;
  std::uint32_t edge;
  std::uint16_t type;
  Direction direction;
  std::uint8_t hops;
  /// Contribution of the best path, in [0, 1].
  float best;
  /// Product of (1 - contribution) over all walked paths of the shortest length.
  float miss;

  /// All those paths together (noisy or), in [0, 1].
  float support() const noexcept { return 1 - miss; }
};

struct ExpansionResult {
  /// In order of discovery: seeds first, then hop by hop. Valid until the scratch is used again.
  std::span<const PathStep> steps;
  std::size_t edgesExamined;
  bool budgetSpent;
};

struct EdgeOption {
  float contribution;
  Node node;
  std::uint32_t edge;
  Row evidence;
  std::uint16_t type;
  Direction direction;
};

struct ExpansionScratch {
  std::vector<PathStep> steps;
  std::vector<std::uint32_t> frontier;
  std::vector<EdgeOption> options;
  std::vector<std::span<const EdgeEnd>> ends;
  Scratch<std::uint32_t> table;
  std::size_t tableSize = 0;
};

/// Expands the seeds hop by hop; at each hop the nodes found at the one before are taken by support
/// (ties: lower node). An edge of a node with support s contributes
///   s * hopDecay * typeWeight * min(weight, 1) * 2^(-age / halfLife) / ends^hubDamping,
/// (ends = the node's stored edges, and of a session or speaker the turns looked at),
/// and the node's `fanOut` best edges are followed (ties: newer edge, then lower node). Following a
/// stored edge reaches its other end and the turn that is its evidence. Edges that are not valid at the
/// instant, or whose evidence or end is not visible, are not walked; nor is the way just come.
/// NEXT, IN_SESSION and SPOKEN_BY are read from the row columns. O(budget log fanOut).
/// Throws std::bad_alloc.
ExpansionResult expand(const Snapshot& snapshot, const Visibility& visibility, const ExpansionQuery& query,
                       ExpansionScratch& scratch);

}  // namespace ontomem
