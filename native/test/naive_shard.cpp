#include "naive_shard.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace ontomem::test {
namespace {

constexpr std::uint32_t kGone = 0xffffffff;

struct Moments {
  double mean = 0;
  double scale = 0;
};

Moments momentsOf(const std::vector<double>& scores, double priorMean, double priorDeviation, double priorCount) {
  double sum = priorCount * priorMean;
  double squares = priorCount * (priorMean * priorMean + priorDeviation * priorDeviation);
  for (const double score : scores) {
    sum += score;
    squares += score * score;
  }
  const double weight = priorCount + static_cast<double>(scores.size());
  if (weight <= 0) return {};
  const double mean = sum / weight;
  const double deviation = std::sqrt(std::max(0.0, squares / weight - mean * mean));
  return {mean, deviation < 1e-6 ? 0 : 1 / deviation};
}

double sigmoid(double value) { return 1 / (1 + std::exp(-value)); }

}  // namespace

std::vector<std::uint64_t> hashesOf(std::span<const std::uint32_t> words) {
  std::vector<std::uint64_t> hashes;
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    hashes.push_back(words[i] | static_cast<std::uint64_t>(words[i + 1]) << 32);
  }
  return hashes;
}

void NaiveShard::append(NaiveTurn turn) {
  while (turn.previous != kNoRow && turns[turn.previous].forgotten) turn.previous = turns[turn.previous].previous;
  if (turn.previous != kNoRow && turns[turn.previous].next == kNoRow) {
    turns[turn.previous].next = static_cast<Row>(turns.size());
  }
  turns.push_back(std::move(turn));
}

void NaiveShard::forget(Row row) {
  turns[row].forgotten = true;
  relink();
}

void NaiveShard::relink() {
  for (NaiveTurn& turn : turns) turn.next = kNoRow;
  for (Row row = 0; row < turns.size(); ++row) {
    Row& previous = turns[row].previous;
    while (previous != kNoRow && turns[previous].forgotten) previous = turns[previous].previous;
    if (turns[row].forgotten || previous == kNoRow) continue;
    if (turns[previous].next == kNoRow) turns[previous].next = row;
  }
}

Row NaiveShard::lastOfSession(std::uint32_t session) const {
  for (Row row = static_cast<Row>(turns.size()); row-- > 0;) {
    if (!turns[row].forgotten && turns[row].session == session) return row;
  }
  return kNoRow;
}

std::size_t NaiveShard::live() const {
  return static_cast<std::size_t>(
      std::count_if(turns.begin(), turns.end(), [](const NaiveTurn& turn) { return !turn.forgotten; }));
}

void NaiveShard::compact(std::vector<Row>& rowMap, std::vector<std::uint32_t>& edgeMap) {
  rowMap.clear();
  edgeMap.clear();
  Row live = 0;
  for (const NaiveTurn& turn : turns) rowMap.push_back(turn.forgotten ? kGone : live++);
  const auto moved = [&](Row row) { return row == kNoRow ? kNoRow : rowMap[row]; };
  const auto movedNode = [&](Node node) { return nodeKind(node) == NodeKind::turn ? rowMap[node] : node; };
  std::erase_if(turns, [](const NaiveTurn& turn) { return turn.forgotten; });
  for (NaiveTurn& turn : turns) turn.previous = moved(turn.previous);
  relink();
  std::vector<Edge> kept;
  for (Edge edge : edges) {
    edge.source = movedNode(edge.source);
    edge.target = movedNode(edge.target);
    const bool cited = edge.evidence == kNoRow || rowMap[edge.evidence] != kGone;
    if (edge.source == kGone || edge.target == kGone || !cited) {
      edgeMap.push_back(kGone);
      continue;
    }
    edge.evidence = moved(edge.evidence);
    edgeMap.push_back(static_cast<std::uint32_t>(kept.size()));
    kept.push_back(edge);
  }
  edges = std::move(kept);
}

double NaiveShard::dot(Row row, const float* query) const {
  double sum = 0;
  for (std::size_t i = 0; i < turns[row].vector.size(); ++i) sum += double(turns[row].vector[i]) * query[i];
  return sum;
}

std::map<Row, double> NaiveShard::lexical(const std::vector<std::uint64_t>& terms, double k1, double b,
                                          double asOfMs) const {
  double visible = 0;
  double length = 0;
  std::map<std::uint64_t, double> frequency;
  for (Row row = 0; row < turns.size(); ++row) {
    if (!isVisible(row, asOfMs)) continue;
    ++visible;
    length += turns[row].length;
    for (const auto& [hash, count] : turns[row].terms) ++frequency[hash];
  }
  const double mean = std::max(visible == 0 ? 0 : length / visible, 1.0);
  std::map<Row, double> scores;
  for (Row row = 0; row < turns.size(); ++row) {
    if (!isVisible(row, asOfMs)) continue;
    for (const auto& [hash, count] : turns[row].terms) {
      if (std::find(terms.begin(), terms.end(), hash) == terms.end()) continue;
      const double df = frequency[hash];
      const double idf = std::log1p((visible - df + 0.5) / (df + 0.5));
      const double norm = k1 * (1 - b + b * turns[row].length / mean);
      scores[row] += idf * count * (k1 + 1) / (count + norm);
    }
  }
  return scores;
}

double NaiveShard::coverage(const std::vector<std::uint64_t>& terms, double asOfMs) const {
  double visible = 0;
  std::map<std::uint64_t, double> frequency;
  for (Row row = 0; row < turns.size(); ++row) {
    if (!isVisible(row, asOfMs)) continue;
    ++visible;
    for (const auto& [hash, count] : turns[row].terms) ++frequency[hash];
  }
  const auto idf = [&](std::uint64_t term) {
    const double df = frequency[term];
    return std::log1p((visible - df + 0.5) / (df + 0.5));
  };
  double wanted = 0;
  for (const std::uint64_t term : terms) wanted += idf(term);
  double best = 0;
  for (Row row = 0; row < turns.size(); ++row) {
    if (!isVisible(row, asOfMs)) continue;
    double covered = 0;
    for (const auto& [hash, count] : turns[row].terms) {
      if (std::find(terms.begin(), terms.end(), hash) != terms.end()) covered += idf(hash);
    }
    best = std::max(best, covered);
  }
  return wanted > 0 ? best / wanted : 0;
}

std::map<Row, NaiveScore> NaiveShard::recall(const RecallRequest& request) const {
  const RecallParameters& p = request.parameters;
  const std::size_t dimension = turns.empty() ? 1 : turns[0].vector.size();
  const std::size_t views = turns.empty() ? 0 : request.queries.size() / dimension;

  std::map<Row, double> dense;
  for (std::size_t view = 0; view < views; ++view) {
    const float* const query = request.queries.data() + view * dimension;
    std::vector<double> scores;
    for (Row row = 0; row < turns.size(); ++row) {
      if (isVisible(row, p.asOfMs)) scores.push_back(dot(row, query));
    }
    const Moments moments = momentsOf(scores, p.densePriorMean, p.densePriorDeviation, p.densePriorCount);
    for (Row row = 0; row < turns.size(); ++row) {
      if (!isVisible(row, p.asOfMs)) continue;
      dense[row] += request.viewWeights[view] * (dot(row, query) - moments.mean) * moments.scale;
    }
  }
  const auto terms = hashesOf(request.terms);
  const std::map<Row, double> lexicalScores = lexical(terms, p.bm25K1, p.bm25B, p.asOfMs);
  std::vector<double> scores;
  for (Row row = 0; row < turns.size(); ++row) {
    const auto found = lexicalScores.find(row);
    if (isVisible(row, p.asOfMs)) scores.push_back(found == lexicalScores.end() ? 0 : found->second);
  }
  const Moments moments = momentsOf(scores, p.lexicalPriorMean, p.lexicalPriorDeviation, p.lexicalPriorCount);
  const auto lexicalZ = [&](Row row) {
    const auto found = lexicalScores.find(row);
    const double score = found == lexicalScores.end() ? 0 : found->second;
    return terms.empty() ? 0 : (score - moments.mean) * moments.scale;
  };
  const double lexicalWeight = p.lexicalWeight * (1 + p.coverageWeighting * (coverage(terms, p.asOfMs) - 1));
  const auto mix = [&](Row row) { return p.denseWeight * dense[row] + lexicalWeight * lexicalZ(row); };
  const auto lent = [&](Row row) { return std::max(0.0, mix(row) - p.neighbourFloor); };
  const std::map<Node, double> support = request.seeds.empty() ? std::map<Node, double>{} : expand(request);

  std::map<Row, NaiveScore> result;
  for (Row row = 0; row < turns.size(); ++row) {
    const NaiveTurn& turn = turns[row];
    if (!isVisible(row, p.asOfMs)) continue;
    if (!(turn.atMs >= p.fromMs && turn.atMs < p.toMs)) continue;
    if (p.session >= 0 && turn.session != p.session) continue;
    if (p.speaker >= 0 && turn.speaker != p.speaker) continue;
    const auto& mask = request.rowMask;
    if (!mask.empty() && (row / 32 >= mask.size() || (mask[row / 32] >> (row % 32) & 1) == 0)) continue;
    double structure = 0;
    if (turn.previous != kNoRow && isVisible(turn.previous, p.asOfMs)) structure += p.previousGain * lent(turn.previous);
    if (turn.next != kNoRow && isVisible(turn.next, p.asOfMs)) structure += p.nextGain * lent(turn.next);
    NaiveScore score{};
    score.parts[part::dense] = p.contentWeight * p.denseWeight * dense[row];
    score.parts[part::lexical] = p.contentWeight * lexicalWeight * lexicalZ(row);
    score.parts[part::structure] = p.contentWeight * structure;
    const auto reached = support.find(row);
    score.parts[part::graph] = reached == support.end() ? 0 : p.graphWeight * reached->second;
    score.parts[part::profile] = p.profileWeight * turn.profile;
    const double smoothed = mix(row) + structure;
    const double content = p.contentSlope == 0 ? smoothed : sigmoid(p.contentSlope * smoothed + p.contentOffset);
    score.raw = p.contentWeight * content + score.parts[part::graph] + score.parts[part::profile];
    result[row] = score;
  }
  return result;
}

namespace {

/// Single precision, as in the core: which of two equal ways came first decides where the walk goes on.
struct Reached {
  float best = 0;
  float miss = 1;
  std::size_t hops = 0;
  std::optional<Node> parent;
  std::optional<std::uint32_t> by;
};

struct Option {
  float contribution;
  Node node;
  std::uint32_t edge;
  Row evidence;
};

}  // namespace

std::map<Node, double> NaiveShard::expand(const RecallRequest& request) const {
  const RecallParameters& p = request.parameters;
  const auto hops = static_cast<std::size_t>(p.hops);
  const auto fanOut = static_cast<std::size_t>(p.fanOut);
  double newest = 0;
  bool any = false;
  for (const NaiveTurn& turn : turns) {
    if (turn.forgotten) continue;
    newest = any ? std::max(newest, turn.atMs) : turn.atMs;
    any = true;
  }
  const double now = std::isfinite(p.nowMs) ? p.nowMs : newest;
  const double instant = std::isfinite(p.asOfMs) ? p.asOfMs : now;
  const auto stands = [&](Node node) {
    return nodeKind(node) != NodeKind::turn || (node < turns.size() && isVisible(node, p.asOfMs));
  };
  const auto weightOf = [&](std::size_t hop, std::uint16_t type, std::size_t direction) -> float {
    if (request.typeWeights.empty()) return 1;
    const std::size_t types = request.typeWeights.size() / (2 * hops);
    return type < types ? request.typeWeights[(hop * types + type) * 2 + direction] : 0;
  };

  std::map<Node, Reached> reached;
  const auto reach = [&](Node node, float contribution, std::size_t hop, std::optional<Node> parent,
                         std::optional<std::uint32_t> by) {
    auto [place, fresh] = reached.try_emplace(node);
    Reached& state = place->second;
    if (fresh) {
      state.hops = hop;
    } else if (state.hops != hop) {
      return;
    }
    state.miss *= 1 - contribution;
    if (fresh || contribution > state.best) {
      state.best = contribution;
      state.parent = parent;
      state.by = by;
    }
  };
  for (std::size_t i = 0; i < request.seeds.size(); ++i) {
    if (stands(request.seeds[i])) reach(request.seeds[i], request.seedWeights[i], 0, {}, {});
  }
  for (std::size_t hop = 0; hop < hops; ++hop) {
    std::vector<std::pair<float, Node>> frontier;
    for (const auto& [node, state] : reached) {
      if (state.hops == hop) frontier.emplace_back(state.miss, node);
    }
    std::sort(frontier.begin(), frontier.end());
    for (const auto& [miss, node] : frontier) {
      const Reached state = reached[node];
      const Node came = state.parent.value_or(node);
      double ends = 0;
      std::vector<Option> options;
      const auto offer = [&](Node other, std::uint16_t type, std::size_t direction) {
        const float weight = weightOf(hop, type, direction);
        if (weight > 0 && other != came && stands(other)) options.push_back({weight, other, kImplicitEdge, kNoRow});
      };
      if (nodeKind(node) == NodeKind::turn) {
        ends += 2;
        if (turns[node].next != kNoRow) offer(turns[node].next, edge_type::next, 0);
        if (turns[node].previous != kNoRow) offer(turns[node].previous, edge_type::next, 1);
        offer(makeNode(NodeKind::session, turns[node].session), edge_type::inSession, 0);
        offer(makeNode(NodeKind::speaker, turns[node].speaker), edge_type::spokenBy, 0);
      } else if (nodeKind(node) != NodeKind::concept_) {
        const bool bySession = nodeKind(node) == NodeKind::session;
        const std::uint16_t type = bySession ? edge_type::inSession : edge_type::spokenBy;
        for (std::size_t i = turns.size(); i-- > 0 && options.size() < fanOut && weightOf(hop, type, 1) > 0;) {
          if (turns[i].forgotten || (bySession ? turns[i].session : turns[i].speaker) != nodeNumber(node)) continue;
          offer(static_cast<Node>(i), type, 1);
          ++ends;
        }
      }
      for (std::uint32_t i = 0; i < edges.size(); ++i) {
        const Edge& edge = edges[i];
        for (const bool backward : {false, true}) {
          if ((backward ? edge.target : edge.source) != node) continue;
          ++ends;
          const float weight = weightOf(hop, edge.type, backward) * std::min(1.0f, edge.weight);
          const Node other = backward ? edge.source : edge.target;
          const bool valid = edge.fromMs <= instant && instant < edge.toMs;
          if (state.by == i || weight <= 0 || !valid || !stands(other)) continue;
          if (edge.evidence != kNoRow && !isVisible(edge.evidence, p.asOfMs)) continue;
          const bool ages = std::isfinite(p.halfLifeMs) && std::isfinite(edge.fromMs);
          const float decay = ages ? std::exp2(static_cast<float>((edge.fromMs - instant) / p.halfLifeMs)) : 1;
          options.push_back({weight * decay, other, i, edge.evidence});
        }
      }
      std::stable_sort(options.begin(), options.end(), [](const Option& left, const Option& right) {
        if (left.contribution != right.contribution) return left.contribution > right.contribution;
        if (left.edge != right.edge) return left.edge > right.edge;
        return left.node < right.node;
      });
      options.resize(std::min(options.size(), fanOut));
      const bool damped = ends > 1 && p.hubDamping != 0;
      const float damping = damped ? std::pow(static_cast<float>(ends), static_cast<float>(-p.hubDamping)) : 1;
      const float scale = (1 - state.miss) * static_cast<float>(p.hopDecay) * damping;
      for (const Option& option : options) {
        const float contribution = std::min(scale * option.contribution, 1.0f);
        const auto by = option.edge == kImplicitEdge ? std::optional<std::uint32_t>{} : option.edge;
        if (option.node != came) reach(option.node, contribution, hop + 1, node, by);
        const Row evidence = option.evidence;
        if (evidence != kNoRow && evidence != option.node && evidence != node && evidence != came) {
          reach(evidence, contribution, hop + 1, node, by);
        }
      }
    }
  }
  std::map<Node, double> support;
  for (const auto& [node, state] : reached) support[node] = 1 - state.miss;
  return support;
}

}  // namespace ontomem::test
