// One recall: every arm scores the visible turns, the fused and learned scores order the candidates.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ontomem/candidates.hpp"
#include "ontomem/features.hpp"
#include "ontomem/models.hpp"
#include "ontomem/recall_layout.hpp"
#include "ontomem/status.hpp"

namespace ontomem {

/// Most candidates and most returned rows.
inline constexpr std::size_t kMaxCandidates = 4096;
inline constexpr std::size_t kMaxExpansionBudget = 65536;
inline constexpr std::size_t kMaxSeeds = 4096;

struct RecallRequest {
  /// [queries][dimension], 0 to 4 queries (0 = no dense arm). With `maps`, query 0's mapped forms,
  /// scaled to unit length, are further views; at most 4 views in all.
  std::span<const float> queries;
  /// One weight a view, the given queries first.
  std::span<const float> viewWeights;
  /// See LexicalQuery; empty = no lexical arm.
  std::span<const std::uint32_t> terms;
  std::span<const float> idf;
  /// See ExpansionQuery; empty = no graph arm.
  std::span<const Node> seeds;
  std::span<const float> seedWeights;
  std::span<const float> typeWeights;
  /// See RowFilter.
  std::span<const std::uint32_t> rowMask;
  /// Features of the question, appended to every candidate's own as the scorer's input.
  std::span<const float> queryFeatures;
  RecallParameters parameters;
  /// Whether the user's vectors are probably out of the caches; the answer does not depend on it.
  kernels::Residency residency = kernels::Residency::automatic;
};

/// Caller-owned outputs; `rows` bounds how many candidates are returned, the others are as long or
/// empty. Shapes: scores and paths [rows], parts [rows][part::count], features [rows][feature::count].
struct RecallOutput {
  std::span<Row> rows;
  /// Calibrated, in [0, 1], descending.
  std::span<float> scores;
  std::span<float> parts;
  std::span<float> features;
  /// For `readPath`, or kNoPath.
  std::span<std::uint32_t> paths;
  RecallStats stats;
  std::uint32_t count;
};

/// Scratch memory of one reading thread; about 6 floats a row of the largest shard it has seen.
struct ReaderScratch {
  Scratch<std::uint64_t> invisible;
  Scratch<std::uint64_t> unwanted;
  Scratch<float> queries;
  Scratch<float> dense;
  Scratch<float> mix;
  Scratch<float> lent;
  Scratch<float> fused;
  Scratch<float> sessionBest;
  Scratch<float> features;
  Scratch<float> scorer;
  Scratch<float> scorerWeights;
  Scratch<std::byte> packedQueries;
  Scratch<kernels::Hit> hits;
  LexicalScratch lexical;
  ExpansionScratch expansion;
  CandidateScratch candidates;
  std::vector<Candidate> ranked;
  std::vector<Candidate> reordered;
  std::vector<RankKey> order;
  std::vector<RankKey> byGraph;
};

/// Answers a request on one snapshot; call under a Pin. Deterministic. Ties: score, then newer turn, then
/// higher row; where more rows tie than there are places for candidates, the higher rows become ones. After the deadline the remaining stages are skipped (the dense arm and the choice of
/// candidates always run) and stats.partial is 1. Throws std::bad_alloc.
Outcome recall(const Snapshot& snapshot, const RecallRequest& request, ReaderScratch& scratch,
               RecallOutput& output);

/// The best path to a candidate of the last recall of this scratch, from its seed on: nodes [n],
/// edges [n - 1] (kImplicitEdge for structure), kinds [n - 1] = type * 2 + direction. Returns n, 0 when
/// `path` is none of its steps or an array is too short.
std::size_t readPath(const ReaderScratch& scratch, std::uint32_t path, std::span<Node> nodes,
                     std::span<std::uint32_t> edges, std::span<std::uint32_t> kinds) noexcept;

}  // namespace ontomem
