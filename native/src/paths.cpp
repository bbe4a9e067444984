// Reading back the way the expansion took to a candidate.
#include <algorithm>

#include "ontomem/recall.hpp"

namespace ontomem {

std::size_t readPath(const ReaderScratch& scratch, std::uint32_t path, std::span<Node> nodes,
                     std::span<std::uint32_t> edges, std::span<std::uint32_t> kinds) noexcept {
  const std::vector<PathStep>& steps = scratch.expansion.steps;
  if (path >= steps.size()) return 0;
  const std::size_t length = std::size_t{steps[path].hops} + 1;
  if (nodes.size() < length || edges.size() + 1 < length || kinds.size() + 1 < length) return 0;
  for (std::size_t place = length; place-- > 0; path = steps[path].parent) {
    const PathStep& step = steps[path];
    nodes[place] = step.node;
    if (place == 0) break;
    edges[place - 1] = step.edge;
    kinds[place - 1] = std::uint32_t{step.type} * 2 + static_cast<std::uint32_t>(step.direction);
  }
  return length;
}

}  // namespace ontomem
