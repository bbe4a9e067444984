// Node numbers of a scope's graph and the edge types that need no stored edge.
#pragma once

#include <cstdint>
#include <limits>

namespace ontomem {

using Row = std::uint32_t;
using Node = std::uint32_t;

inline constexpr Row kNoRow = std::numeric_limits<Row>::max();

/// The top two bits of a node say what it is; the rest is its number within that kind.
enum class NodeKind : std::uint32_t {
  turn = 0,     ///< the turn of that row
  session = 1,  ///< the caller's session number
  speaker = 2,  ///< the caller's speaker number
  concept_ = 3, ///< entity, concept, person or time bucket, numbered by the caller
};

inline constexpr unsigned kNodeKindShift = 30;
/// Rows, sessions, speakers and other nodes are numbered below this.
inline constexpr std::uint32_t kNodeNumberLimit = std::uint32_t{1} << kNodeKindShift;

constexpr NodeKind nodeKind(Node node) { return static_cast<NodeKind>(node >> kNodeKindShift); }
constexpr std::uint32_t nodeNumber(Node node) { return node & (kNodeNumberLimit - 1); }
constexpr Node makeNode(NodeKind kind, std::uint32_t number) {
  return static_cast<std::uint32_t>(kind) << kNodeKindShift | number;
}

/// Edge types. Those below `firstStored` are read from the row columns and cost no memory.
namespace edge_type {
inline constexpr std::uint16_t next = 0;       ///< forward: a turn to the one after it; backward: before it
inline constexpr std::uint16_t inSession = 1;  ///< forward: turn to session; backward: session to turn
inline constexpr std::uint16_t spokenBy = 2;   ///< forward: turn to speaker; backward: speaker to turn
inline constexpr std::uint16_t firstStored = 3;
inline constexpr std::uint16_t limit = 1024;
}  // namespace edge_type

/// Which way an edge is walked.
enum class Direction : std::uint8_t { forward = 0, backward = 1 };

}  // namespace ontomem
