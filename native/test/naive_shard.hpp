// A shard as one would write it without caring for speed: the reference of the tests and the fuzzer.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "ontomem/recall.hpp"
#include "ontomem/shard.hpp"

namespace ontomem::test {

struct NaiveTurn {
  std::vector<float> vector;
  double atMs = 0;
  std::uint32_t session = 0;
  std::uint32_t speaker = 0;
  Row previous = kNoRow;
  Row next = kNoRow;
  std::uint32_t flags = 0;
  std::uint32_t length = 0;
  std::vector<std::pair<std::uint64_t, std::uint16_t>> terms;
  float profile = 0;
  bool forgotten = false;
};

/// What the model expects of a row that may be returned.
struct NaiveScore {
  double raw;
  double parts[part::count];
};

class NaiveShard {
 public:
  std::vector<NaiveTurn> turns;
  std::vector<Edge> edges;

  void append(NaiveTurn turn);
  /// The turn after it then follows the turn before it.
  void forget(Row row);
  Row lastOfSession(std::uint32_t session) const;
  void compact(std::vector<Row>& rowMap, std::vector<std::uint32_t>& edgeMap);

  bool isVisible(Row row, double asOfMs) const { return !turns[row].forgotten && turns[row].atMs <= asOfMs; }

  /// Scores of every row that may be returned.
  std::map<Row, NaiveScore> recall(const RecallRequest& request) const;
  /// Best share of the terms' idf that one visible turn has.
  double coverage(const std::vector<std::uint64_t>& terms, double asOfMs) const;
  /// BM25 over the rows visible at asOfMs; absent for rows without a term of the query.
  std::map<Row, double> lexical(const std::vector<std::uint64_t>& terms, double k1, double b,
                                double asOfMs) const;
  /// Support of every node reached.
  std::map<Node, double> expand(const RecallRequest& request) const;

  double dot(Row row, const float* query) const;
  std::size_t live() const;

 private:
  void relink();
};

/// Term hashes of a request.
std::vector<std::uint64_t> hashesOf(std::span<const std::uint32_t> words);

}  // namespace ontomem::test
