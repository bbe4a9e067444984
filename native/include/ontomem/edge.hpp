// A stored edge of the scope's graph.
#pragma once

#include <cstdint>

#include "ontomem/node.hpp"
#include "ontomem/run_index.hpp"

namespace ontomem {

/// 40 bytes. Valid in [fromMs, toMs); an open edge has toMs = +infinity.
struct Edge {
  double fromMs;
  double toMs;
  Node source;
  Node target;
  float weight;
  /// The turn that says so; kNoRow for an edge without one. An edge whose turn is gone or not visible
  /// is not walked.
  Row evidence;
  std::uint16_t type;
};

/// An end of a stored edge in the adjacency of a node.
struct EdgeEnd {
  std::uint32_t edge : 31;
  /// 0: the node is the edge's source; 1: its target.
  std::uint32_t backward : 1;
};

inline constexpr std::uint32_t kEdgeLimit = std::uint32_t{1} << 31;

using Adjacency = RunIndex<Node, EdgeEnd>;

}  // namespace ontomem
