#include "ontomem/expansion.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace ontomem {
namespace {

/// A hub's list is read newest first and no further than this many times the fan-out.
constexpr std::size_t kExaminedPerFollowed = 16;

class Expansion {
 public:
  Expansion(const Snapshot& snapshot, const Visibility& visibility, const ExpansionQuery& query,
            ExpansionScratch& scratch)
      : snapshot_(snapshot), visibility_(visibility), query_(query), scratch_(scratch) {}

  ExpansionResult run() {
    prepare();
    for (std::size_t i = 0; i < query_.seeds.size(); ++i) {
      if (!canStand(query_.seeds[i])) continue;
      reach(query_.seeds[i], std::clamp(query_.seedWeights[i], 0.0f, 1.0f), kNoPath, {}, 0);
    }
    std::size_t from = 0;
    for (hop_ = 0; hop_ < query_.hops && !spent_; ++hop_) {
      const std::size_t to = scratch_.steps.size();
      orderFrontier(from, to);
      for (const std::uint32_t step : scratch_.frontier) {
        if (spent_) break;
        expandNode(step);
      }
      from = to;
    }
    clearTable();
    return {scratch_.steps, examined_, spent_};
  }

 private:
  void prepare() {
    scratch_.steps.clear();
    // An edge followed reaches at most two nodes.
    const std::size_t most = query_.seeds.size() + 2 * query_.budget + 1;
    const std::size_t wanted = std::bit_ceil(2 * most);
    if (scratch_.tableSize < wanted) {
      scratch_.table.ensure(wanted);
      std::memset(scratch_.table.data(), 0xff, wanted * sizeof(std::uint32_t));
      scratch_.tableSize = wanted;
    }
    scratch_.steps.reserve(most);
  }

  std::uint32_t& slotOf(Node node) noexcept {
    const std::size_t mask = scratch_.tableSize - 1;
    std::size_t slot = node * std::size_t{0x9e3779b97f4a7c15} >> 20 & mask;
    while (scratch_.table[slot] != kNoPath && scratch_.steps[scratch_.table[slot]].node != node) {
      slot = (slot + 1) & mask;
    }
    return scratch_.table[slot];
  }

  /// The table is left empty for the next call, at the cost of what was used and not of its size.
  void clearTable() noexcept {
    const std::size_t mask = scratch_.tableSize - 1;
    for (const PathStep& step : scratch_.steps) {
      std::size_t slot = step.node * std::size_t{0x9e3779b97f4a7c15} >> 20 & mask;
      while (scratch_.table[slot] != kNoPath) {
        scratch_.table[slot] = kNoPath;
        slot = (slot + 1) & mask;
      }
    }
  }

  bool canStand(Node node) const noexcept {
    if (nodeKind(node) != NodeKind::turn) return true;
    return nodeNumber(node) < snapshot_.rows && visibility_.sees(nodeNumber(node));
  }

  void reach(Node node, float contribution, std::uint32_t parent, const EdgeOption& by, std::uint8_t hops) {
    std::uint32_t& slot = slotOf(node);
    if (slot == kNoPath) {
      slot = static_cast<std::uint32_t>(scratch_.steps.size());
      scratch_.steps.push_back(
          {node, parent, by.edge, by.type, by.direction, hops, contribution, 1 - contribution});
      return;
    }
    PathStep& step = scratch_.steps[slot];
    // Longer ways to a node found earlier would let its own support echo back.
    if (step.hops != hops) return;
    step.miss *= 1 - contribution;
    if (contribution > step.best) {
      step = {node, parent, by.edge, by.type, by.direction, hops, contribution, step.miss};
    }
  }

  void orderFrontier(std::size_t from, std::size_t to) {
    scratch_.frontier.resize(to - from);
    for (std::size_t i = from; i < to; ++i) scratch_.frontier[i - from] = static_cast<std::uint32_t>(i);
    std::sort(scratch_.frontier.begin(), scratch_.frontier.end(), [this](auto left, auto right) {
      const PathStep& a = scratch_.steps[left];
      const PathStep& b = scratch_.steps[right];
      return a.miss != b.miss ? a.miss < b.miss : a.node < b.node;
    });
  }

  float typeWeight(std::uint16_t type, Direction direction) const noexcept {
    if (query_.typeWeights.empty()) return 1;
    const std::size_t types = query_.typeWeights.size() / (2 * query_.hops);
    if (type >= types) return 0;
    return query_.typeWeights[(hop_ * types + type) * 2 + static_cast<std::size_t>(direction)];
  }

  /// Counts one examined end; false when the budget or the node's share of it is used up.
  bool examine() noexcept {
    if (examined_ >= query_.budget) {
      spent_ = true;
      return false;
    }
    if (examinedHere_ >= query_.fanOut * kExaminedPerFollowed) return false;
    ++examinedHere_;
    ++examined_;
    return true;
  }

  void expandNode(std::uint32_t stepIndex) {
    const PathStep step = scratch_.steps[stepIndex];
    scratch_.options.clear();
    examinedHere_ = 0;
    ends_ = 0;
    came_ = step.parent == kNoPath ? step.node : scratch_.steps[step.parent].node;
    cameBy_ = step.parent == kNoPath ? kNoPath : step.edge;
    collectImplicit(step.node);
    collectStored(step.node);
    const bool damped = ends_ > 1 && query_.hubDamping != 0;
    const float damping = damped ? std::pow(static_cast<float>(ends_), static_cast<float>(-query_.hubDamping)) : 1;
    const float scale = step.support() * static_cast<float>(query_.hopDecay) * damping;
    const std::size_t followed = std::min(query_.fanOut, scratch_.options.size());
    std::partial_sort(scratch_.options.begin(), scratch_.options.begin() + static_cast<std::ptrdiff_t>(followed),
                      scratch_.options.end(), better);
    for (std::size_t i = 0; i < followed; ++i) {
      const EdgeOption& option = scratch_.options[i];
      const float contribution = std::min(scale * option.contribution, 1.0f);
      const auto hops = static_cast<std::uint8_t>(hop_ + 1);
      if (option.node != came_) reach(option.node, contribution, stepIndex, option, hops);
      if (option.evidence != kNoRow && option.evidence != option.node && option.evidence != step.node &&
          option.evidence != came_) {
        reach(option.evidence, contribution, stepIndex, option, hops);
      }
    }
  }

  static bool better(const EdgeOption& left, const EdgeOption& right) noexcept {
    if (left.contribution != right.contribution) return left.contribution > right.contribution;
    if (left.edge != right.edge) return left.edge > right.edge;
    return left.node < right.node;
  }

  void offerImplicit(Node node, std::uint16_t type, Direction direction) {
    const float weight = typeWeight(type, direction);
    if (weight <= 0 || node == came_ || !canStand(node)) return;
    scratch_.options.push_back({weight, node, kImplicitEdge, kNoRow, type, direction});
  }

  void collectImplicit(Node node) {
    const RowColumns& columns = snapshot_.columns;
    const std::uint32_t number = nodeNumber(node);
    switch (nodeKind(node)) {
      case NodeKind::turn: {
        const Row next = columns.next(number, snapshot_.rows);
        const Row previous = columns.previous()[number];
        ends_ += 2;
        if (next != kNoRow && examine()) offerImplicit(next, edge_type::next, Direction::forward);
        if (previous != kNoRow && examine()) offerImplicit(previous, edge_type::next, Direction::backward);
        if (examine()) {
          offerImplicit(makeNode(NodeKind::session, snapshot_.sessions.numbers[columns.session()[number]]),
                        edge_type::inSession, Direction::forward);
        }
        if (examine()) {
          offerImplicit(makeNode(NodeKind::speaker, snapshot_.speakers.numbers[columns.speaker()[number]]),
                        edge_type::spokenBy, Direction::forward);
        }
        return;
      }
      case NodeKind::session:
        return collectGroup(snapshot_.sessions, number, columns.sessionChain(), edge_type::inSession);
      case NodeKind::speaker:
        return collectGroup(snapshot_.speakers, number, columns.speakerChain(), edge_type::spokenBy);
      case NodeKind::concept_:
        return;
    }
  }

  /// The turns of a session or speaker, newest first.
  void collectGroup(const GroupTable& groups, std::uint32_t number, const Row* chain, std::uint16_t type) {
    if (typeWeight(type, Direction::backward) <= 0) return;
    const std::uint32_t ordinal = groups.ordinalOf(number);
    if (ordinal == GroupTable::kNone) return;
    std::size_t offered = 0;
    for (Row row = groups.newestBelow(ordinal, chain, snapshot_.rows); row != kNoRow; row = chain[row]) {
      if (offered == query_.fanOut || !examine()) return;
      const std::size_t before = scratch_.options.size();
      offerImplicit(row, type, Direction::backward);
      offered += scratch_.options.size() - before;
      ++ends_;
    }
  }

  void collectStored(Node node) {
    scratch_.ends.clear();
    for (const auto& run : snapshot_.adjacency.runs()) {
      const auto ends = run->find(node);
      ends_ += ends.size();
      if (!ends.empty()) scratch_.ends.push_back(ends);
    }
    for (auto run = scratch_.ends.rbegin(); run != scratch_.ends.rend(); ++run) {
      for (auto end = run->rbegin(); end != run->rend(); ++end) {
        if (!examine()) return;
        offerStored(*end);
      }
    }
  }

  void offerStored(EdgeEnd end) {
    if (end.edge == cameBy_) return;
    const Edge& edge = snapshot_.edges[end.edge];
    const Direction direction = end.backward ? Direction::backward : Direction::forward;
    const float weight = typeWeight(edge.type, direction);
    if (weight <= 0 || edge.weight <= 0) return;
    if (!(edge.fromMs <= query_.instantMs && query_.instantMs < edge.toMs)) return;
    if (edge.evidence != kNoRow && !visibility_.sees(edge.evidence)) return;
    const Node other = end.backward ? edge.source : edge.target;
    if (!canStand(other)) return;
    const float contribution = weight * std::min(edge.weight, 1.0f) * decay(edge.fromMs);
    scratch_.options.push_back({contribution, other, end.edge, edge.evidence, edge.type, direction});
  }

  /// An edge without a beginning does not age.
  float decay(double fromMs) const noexcept {
    if (!std::isfinite(query_.halfLifeMs) || !std::isfinite(fromMs)) return 1;
    return std::exp2(static_cast<float>((fromMs - query_.instantMs) / query_.halfLifeMs));
  }

  const Snapshot& snapshot_;
  const Visibility& visibility_;
  const ExpansionQuery& query_;
  ExpansionScratch& scratch_;
  std::size_t hop_ = 0;
  std::size_t examined_ = 0;
  std::size_t examinedHere_ = 0;
  std::size_t ends_ = 0;
  Node came_ = 0;
  std::uint32_t cameBy_ = kNoPath;
  bool spent_ = false;
};

}  // namespace

ExpansionResult expand(const Snapshot& snapshot, const Visibility& visibility, const ExpansionQuery& query,
                       ExpansionScratch& scratch) {
  return Expansion(snapshot, visibility, query, scratch).run();
}

}  // namespace ontomem
