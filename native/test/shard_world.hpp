// A shard and its naive model side by side, with random operations that hold one against the other.
#pragma once

#include <cstdint>
#include <memory>
#include <random>

#include "naive_shard.hpp"
#include "ontomem/search.hpp"

namespace ontomem::test {

/// Vectors are small integers over 8: exact in f32 and bf16, and a world is too small for an int8 scan.
inline constexpr std::size_t kWorldDimension = 24;

class ShardWorld {
 public:
  ShardWorld(std::uint64_t seed, VectorFormat format, std::size_t largestRows);
  ~ShardWorld();

  /// One random operation. Returns false, with a line on stderr, when shard and model disagree.
  bool step();

 private:
  struct Remembered {
    std::unique_ptr<Pin> pin;
    const Snapshot* snapshot = nullptr;
    NaiveShard model;
  };

  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : random_() % limit; }
  bool chance(double probability) { return double(random_() >> 11) * 0x1p-53 < probability; }
  double oneOf(std::initializer_list<double> values) { return values.begin()[below(values.size())]; }
  std::vector<float> randomVector();
  Row randomRow() { return static_cast<Row>(below(model_.turns.size())); }
  Node randomNode();

  bool append();
  bool appendBroken();
  bool appendEdges();
  bool changeEdges();
  bool forget();
  bool compact();
  bool setProfile();
  bool readRecall(const Snapshot& snapshot, const NaiveShard& model);
  bool readSearch(const Snapshot& snapshot, const NaiveShard& model);
  bool readLexical(const Snapshot& snapshot, const NaiveShard& model);
  bool read();
  bool pinOrRelease();

  RecallRequest randomRequest();
  bool matches(const NaiveShard& model, const RecallRequest& request, const RecallOutput& output);
  bool fail(const char* what) const;

  std::uint64_t seed_;
  std::mt19937_64 random_;
  VectorFormat format_;
  std::size_t largestRows_;
  std::unique_ptr<Shard> shard_;
  NaiveShard model_;
  ReaderScratch scratch_;
  EpochSlot& readerSlot_;
  Remembered remembered_;
  std::uint64_t steps_ = 0;

  // What a request points to.
  std::vector<float> queries_, weights_, seedWeights_, typeWeights_;
  std::vector<std::uint32_t> terms_, seeds_, mask_;
};

}  // namespace ontomem::test
