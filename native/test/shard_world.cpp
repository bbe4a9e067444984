// The writing half: every operation is done to the shard and to the model. Reading is in shard_reads.cpp.
#include "shard_world.hpp"

#include <cmath>
#include <cstdio>
#include <limits>
#include <set>

namespace ontomem::test {
namespace {

constexpr std::size_t kVocabulary = 30;
constexpr std::size_t kLargestEdges = 40;
constexpr double kForever = std::numeric_limits<double>::infinity();

}  // namespace

ShardWorld::ShardWorld(std::uint64_t seed, VectorFormat format, std::size_t largestRows)
    : seed_(seed),
      random_(seed),
      format_(format),
      largestRows_(largestRows),
      shard_(std::make_unique<Shard>(kWorldDimension, format)),
      readerSlot_(EpochDomain::process().acquireSlot()) {}

ShardWorld::~ShardWorld() {
  remembered_.pin.reset();
  EpochDomain::process().releaseSlot(readerSlot_);
  EpochDomain::process().reclaim();
}

bool ShardWorld::fail(const char* what) const {
  std::fprintf(stderr, "seed %llu, step %llu, format %d: %s\n", static_cast<unsigned long long>(seed_),
               static_cast<unsigned long long>(steps_), static_cast<int>(format_), what);
  return false;
}

bool ShardWorld::step() {
  ++steps_;
  EpochDomain::process().reclaim();
  const std::size_t dice = below(100);
  if (model_.turns.empty() || dice < 12) return append();
  if (dice < 14) return appendBroken();
  if (dice < 20) return appendEdges();
  if (dice < 24) return changeEdges();
  if (dice < 28) return forget();
  if (dice < 30) return compact();
  if (dice < 33) return setProfile();
  if (dice < 37) return pinOrRelease();
  return read();
}

std::vector<float> ShardWorld::randomVector() {
  std::vector<float> vector(kWorldDimension);
  for (float& value : vector) value = (static_cast<float>(below(17)) - 8) / 8;
  return vector;
}

Node ShardWorld::randomNode() {
  switch (below(6)) {
    case 0: return makeNode(NodeKind::session, static_cast<std::uint32_t>(below(5)) * 7);
    case 1: return makeNode(NodeKind::speaker, static_cast<std::uint32_t>(below(3)));
    case 2: return makeNode(NodeKind::concept_, static_cast<std::uint32_t>(below(12)));
    default: return randomRow();
  }
}

bool ShardWorld::append() {
  if (model_.turns.size() > largestRows_) {
    // A fresh shard: small ones have the most edges to fall over.
    remembered_ = {};
    shard_ = std::make_unique<Shard>(kWorldDimension, format_);
    model_ = {};
  }
  const std::size_t count = chance(0.7) ? 1 : below(40);
  // As a store appends, or with any order of turns the caller likes.
  const bool inSession = chance(0.5);
  std::vector<float> vectors;
  std::vector<double> atMs;
  std::vector<std::uint32_t> session, speaker, previous, flags, offsets{0}, terms, length;
  std::vector<std::uint16_t> counts;
  for (std::size_t i = 0; i < count; ++i) {
    NaiveTurn turn;
    const std::size_t row = model_.turns.size();
    turn.vector = randomVector();
    turn.atMs = static_cast<double>(below(50));
    turn.session = static_cast<std::uint32_t>(below(5)) * 7;
    turn.speaker = static_cast<std::uint32_t>(below(3));
    turn.previous = inSession ? model_.lastOfSession(turn.session)
                    : row == 0 || chance(0.2) ? kNoRow : static_cast<Row>(chance(0.8) ? row - 1 : below(row));
    turn.flags = static_cast<std::uint32_t>(below(128));
    turn.length = static_cast<std::uint32_t>(below(20));
    std::set<std::uint64_t> used;
    for (std::size_t term = below(6); term-- > 0;) {
      // Some hashes are small, some use the top bits: both ends of the directory.
      const std::uint64_t number = below(kVocabulary);
      const std::uint64_t hash = number % 2 == 0 ? number : number << 59 | number;
      if (used.insert(hash).second) turn.terms.emplace_back(hash, static_cast<std::uint16_t>(1 + below(3)));
    }
    vectors.insert(vectors.end(), turn.vector.begin(), turn.vector.end());
    atMs.push_back(turn.atMs);
    session.push_back(turn.session);
    speaker.push_back(turn.speaker);
    if (!inSession) previous.push_back(turn.previous);
    flags.push_back(turn.flags);
    length.push_back(turn.length);
    for (const auto& [hash, times] : turn.terms) {
      terms.push_back(static_cast<std::uint32_t>(hash));
      terms.push_back(static_cast<std::uint32_t>(hash >> 32));
      counts.push_back(times);
    }
    offsets.push_back(static_cast<std::uint32_t>(counts.size()));
    model_.append(std::move(turn));
  }
  Row first = 0;
  const Outcome outcome = shard_->appendRows(
      {count, vectors, atMs, session, speaker, previous, flags, offsets, terms, counts, length}, first);
  if (!outcome.ok()) return fail(outcome.problem);
  return first + count == model_.turns.size() || fail("appendRows: wrong first row");
}

/// A batch with one thing wrong must be refused and leave no trace.
bool ShardWorld::appendBroken() {
  std::vector<float> vectors(2 * kWorldDimension, 0.5f);
  std::vector<double> atMs{1, 2};
  std::vector<std::uint32_t> session{99, 98}, speaker{99, 98}, previous{kNoRow, kNoRow}, flags{0, 0}, offsets{0, 0, 2},
      terms{5, 0, 6, 0}, length{1, 2};
  std::vector<std::uint16_t> counts{1, 1};
  std::size_t count = 2;
  switch (below(8)) {
    case 0: vectors[below(vectors.size())] = std::numeric_limits<float>::quiet_NaN(); break;
    case 1: vectors[below(vectors.size())] = -std::numeric_limits<float>::infinity(); break;
    case 2: atMs[1] = kForever; break;
    case 3: previous[1] = static_cast<Row>(model_.turns.size() + 1); break;
    case 4: session[0] = kNodeNumberLimit; break;
    case 5: offsets = {0, 3, 2}; break;
    case 6: terms[2] = 5; break;
    default: count = 3; break;
  }
  const std::uint32_t rows = shard_->snapshot().rows;
  Row first = 0;
  const Outcome outcome = shard_->appendRows(
      {count, vectors, atMs, session, speaker, previous, flags, offsets, terms, counts, length}, first);
  if (outcome.ok()) return fail("appendRows: accepted a broken batch");
  return shard_->snapshot().rows == rows || fail("appendRows: a refused batch left rows");
}

bool ShardWorld::appendEdges() {
  if (model_.edges.size() > kLargestEdges) return true;
  const std::size_t count = below(5);
  std::vector<Node> source, target;
  std::vector<std::uint16_t> type;
  std::vector<float> weight;
  std::vector<double> fromMs, toMs;
  std::vector<Row> evidence;
  for (std::size_t i = 0; i < count; ++i) {
    const double from = chance(0.2) ? -kForever : static_cast<double>(below(40));
    const Edge edge{from,
                    chance(0.6) ? kForever : from + static_cast<double>(below(30)),
                    randomNode(),
                    randomNode(),
                    static_cast<float>(below(12)) / 8,
                    chance(0.4) ? kNoRow : randomRow(),
                    static_cast<std::uint16_t>(edge_type::firstStored + below(4))};
    source.push_back(edge.source);
    target.push_back(edge.target);
    type.push_back(edge.type);
    weight.push_back(edge.weight);
    fromMs.push_back(edge.fromMs);
    toMs.push_back(edge.toMs);
    evidence.push_back(edge.evidence);
    model_.edges.push_back(edge);
  }
  std::uint32_t first = 0;
  const Outcome outcome = shard_->appendEdges({count, source, target, type, weight, fromMs, toMs, evidence}, first);
  if (!outcome.ok()) return fail(outcome.problem);
  return first + count == model_.edges.size() || fail("appendEdges: wrong first edge");
}

bool ShardWorld::changeEdges() {
  std::vector<std::uint32_t> edges;
  std::vector<float> weights;
  std::vector<double> toMs;
  const bool close = chance(0.5);
  for (std::size_t i = model_.edges.empty() ? 0 : below(4); i-- > 0;) {
    edges.push_back(static_cast<std::uint32_t>(below(model_.edges.size())));
    weights.push_back(static_cast<float>(below(10)) / 8);
    toMs.push_back(static_cast<double>(below(60)));
    if (close) model_.edges[edges.back()].toMs = toMs.back();
    else model_.edges[edges.back()].weight = weights.back();
  }
  const Outcome outcome = close ? shard_->closeEdges(edges, toMs) : shard_->setEdgeWeights(edges, weights);
  return outcome.ok() || fail(outcome.problem);
}

bool ShardWorld::forget() {
  std::vector<Row> rows;
  for (std::size_t i = below(4); i-- > 0;) {
    rows.push_back(randomRow());
    model_.forget(rows.back());
  }
  const Outcome outcome = shard_->tombstoneRows(rows);
  if (!outcome.ok()) return fail(outcome.problem);
  return shard_->snapshot().liveRows == model_.live() || fail("tombstoneRows: wrong count of live rows");
}

bool ShardWorld::setProfile() {
  std::vector<Row> rows;
  std::vector<float> values;
  for (std::size_t i = below(4); i-- > 0;) {
    rows.push_back(randomRow());
    values.push_back(static_cast<float>(below(9)) / 8);
    model_.turns[rows.back()].profile = values.back();
  }
  const Outcome outcome = shard_->setProfile(rows, values);
  return outcome.ok() || fail(outcome.problem);
}

bool ShardWorld::compact() {
  std::vector<Row> rowMap(model_.turns.size()), expectedRows;
  std::vector<std::uint32_t> edgeMap(model_.edges.size()), expectedEdges;
  const std::uint32_t layout = shard_->snapshot().layout;
  const Outcome outcome = shard_->compact(rowMap, edgeMap);
  if (!outcome.ok()) return fail(outcome.problem);
  model_.compact(expectedRows, expectedEdges);
  if (rowMap != expectedRows) return fail("compact: wrong row map");
  if (edgeMap != expectedEdges) return fail("compact: wrong edge map");
  return shard_->snapshot().layout == layout + 1 || fail("compact: layout did not change");
}

/// Keeps a snapshot for a while: it must go on answering as it did, whatever is written meanwhile.
bool ShardWorld::pinOrRelease() {
  if (remembered_.pin) {
    remembered_ = {};
    return true;
  }
  remembered_.pin = std::make_unique<Pin>(readerSlot_);
  remembered_.snapshot = &shard_->snapshot();
  remembered_.model = model_;
  return true;
}

}  // namespace ontomem::test
