#include "ontomem/search.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace ontomem {
namespace {

using kernels::Hit;

constexpr std::size_t kBatch = kernels::kMaxBatch;

constexpr bool hitsBefore(const Hit& left, const Hit& right) {
  return left.score != right.score ? left.score > right.score : left.row > right.row;
}

/// Merges `count` hits of a block into the best of the blocks before; both sorted. Keeps `k`.
std::size_t mergeHits(Hit* best, std::size_t kept, const Hit* hits, std::size_t count, std::uint32_t firstRow,
                      std::size_t k) {
  for (std::size_t i = 0; i < count; ++i) {
    const Hit hit{hits[i].score, hits[i].row + firstRow};
    if (kept == k && !hitsBefore(hit, best[kept - 1])) break;
    Hit* const place = std::lower_bound(best, best + kept, hit, hitsBefore);
    const std::size_t moved = static_cast<std::size_t>(best + kept - place) - (kept == k ? 1 : 0);
    std::memmove(place + 1, place, moved * sizeof(Hit));
    *place = hit;
    if (kept < k) ++kept;
  }
  return kept;
}

std::size_t searchBlock(const Snapshot& snapshot, const VectorBlock& block, kernels::Residency residency,
                        const float* query, const kernels::TopkOptions& options, Hit* hits) {
  const kernels::Kernels& kernel = kernels::active();
  const VectorStore& vectors = snapshot.vectors;
  switch (vectors.scanFormat(snapshot.rows)) {
    case VectorFormat::f32:
      return kernel.topkF32(vectors.f32Rows(block, snapshot.rows, residency), query, options, hits);
    case VectorFormat::bf16:
      return kernel.topkBf16(vectors.bf16Rows(block, snapshot.rows, residency), query, options, hits);
    case VectorFormat::int8:
      return kernel.topkInt8RescoredF32(vectors.int8Rows(block, snapshot.rows, residency),
                                        vectors.f32Rows(block, snapshot.rows), query, options, hits);
  }
  return 0;
}

/// Batches read the exact rows: a shard with int8 rows scans its f32 ones.
void searchBlockBatch(const Snapshot& snapshot, const VectorBlock& block, const kernels::PackedQueries& packed,
                      const kernels::TopkOptions& options, Hit* hits, std::size_t* counts) {
  const kernels::Kernels& kernel = kernels::active();
  if (snapshot.vectors.format() == VectorFormat::bf16) {
    kernel.topkBatchBf16(snapshot.vectors.bf16Rows(block, snapshot.rows), packed, options, hits, counts);
  } else {
    kernel.topkBatchF32(snapshot.vectors.f32Rows(block, snapshot.rows), packed, options, hits, counts);
  }
}

struct SearchArrays {
  Hit* best;
  Hit* hits;
  std::size_t kept[kBatch];
};

void searchGroup(const Snapshot& snapshot, kernels::Residency residency, const float* const* queries,
                 std::size_t count, std::size_t k, ReaderScratch& scratch, SearchArrays& arrays) {
  const std::size_t dimension = snapshot.vectors.dimension();
  kernels::PackedQueries packed{};
  if (count > 1) {
    packed.data = scratch.packedQueries.ensure(kernels::packedQueryBytes(dimension));
    const kernels::Kernels& kernel = kernels::active();
    const auto pack = snapshot.vectors.format() == VectorFormat::bf16 ? kernel.packBf16 : kernel.packF32;
    pack(queries, count, dimension, packed);
  }
  std::fill_n(arrays.kept, kBatch, std::size_t{0});
  for (const VectorBlock& block : snapshot.vectors.blocks()) {
    if (block.firstRow >= snapshot.rows) break;
    kernels::TopkOptions options{};
    options.k = k;
    if (snapshot.tombstones) options.excluded = snapshot.tombstones.data() + block.firstRow / 64;
    std::size_t counts[kBatch];
    if (count == 1) {
      counts[0] = searchBlock(snapshot, block, residency, queries[0], options, arrays.hits);
    } else {
      searchBlockBatch(snapshot, block, packed, options, arrays.hits, counts);
    }
    for (std::size_t i = 0; i < count; ++i) {
      arrays.kept[i] = mergeHits(arrays.best + i * k, arrays.kept[i], arrays.hits + i * k, counts[i],
                                 block.firstRow, k);
    }
  }
}

}  // namespace

Outcome searchFlat(const Snapshot& snapshot, std::span<const float> queries, std::size_t k,
                   ReaderScratch& scratch, std::span<Row> rows, std::span<float> scores,
                   std::span<std::uint32_t> counts, kernels::Residency residency) {
  const std::size_t dimension = snapshot.vectors.dimension();
  if (queries.empty() || queries.size() % dimension != 0) {
    return badArgument("queries: not whole vectors of the shard");
  }
  const std::size_t queryCount = queries.size() / dimension;
  if (k < 1 || k > kernels::kMaxK) return badArgument("k: not within 1..1024");
  if (rows.size() < queryCount * k) return badArgument("rows: shorter than queries x k");
  if (scores.size() < queryCount * k) return badArgument("scores: shorter than queries x k");
  if (counts.size() < queryCount) return badArgument("counts: shorter than queries");
  if (!kernels::active().allFinite(queries.data(), queries.size())) {
    return {Status::notFinite, "queries: not finite"};
  }
  const std::size_t group = std::min(queryCount, kBatch);
  SearchArrays arrays{scratch.hits.ensure(2 * group * k), nullptr, {}};
  arrays.hits = arrays.best + group * k;
  for (std::size_t first = 0; first < queryCount; first += kBatch) {
    const std::size_t count = std::min(kBatch, queryCount - first);
    const float* pointers[kBatch];
    for (std::size_t i = 0; i < count; ++i) pointers[i] = queries.data() + (first + i) * dimension;
    searchGroup(snapshot, residency, pointers, count, k, scratch, arrays);
    for (std::size_t i = 0; i < count; ++i) {
      counts[first + i] = static_cast<std::uint32_t>(arrays.kept[i]);
      for (std::size_t place = 0; place < arrays.kept[i]; ++place) {
        rows[(first + i) * k + place] = arrays.best[i * k + place].row;
        scores[(first + i) * k + place] = arrays.best[i * k + place].score;
      }
    }
  }
  return {};
}

Outcome searchLexical(const Snapshot& snapshot, const LexicalQuery& query, std::size_t k,
                      ReaderScratch& scratch, std::span<Row> rows, std::span<float> scores,
                      std::uint32_t& count) {
  if (query.terms.size() % 2 != 0) return badArgument("terms: not pairs of words");
  if (query.terms.size() / 2 > kMaxQueryTerms) return badArgument("terms: more than 1024");
  if (!query.idf.empty() && query.idf.size() != query.terms.size() / 2) return badArgument("idf: not one a term");
  if (!(query.k1 >= 0) || !(query.b >= 0 && query.b <= 1)) return badArgument("k1 or b: out of range");
  if (k < 1 || k > kMaxCandidates) return badArgument("k: not within 1..4096");
  if (rows.size() < k || scores.size() < k) return badArgument("rows or scores: shorter than k");
  constexpr double kEver = std::numeric_limits<double>::infinity();
  const Visibility visibility = resolveVisibility(snapshot, kEver, scratch.invisible);
  const LexicalScores lexical = scoreLexical(snapshot, visibility, query, {0, 0, 0}, scratch.lexical);
  selectBest(snapshot, visibility.excluded, lexical.scores, k, 0, scratch.candidates.selection);
  const std::vector<RankKey>& best = scratch.candidates.selection.best;
  count = static_cast<std::uint32_t>(best.size());
  for (std::size_t i = 0; i < best.size(); ++i) {
    rows[i] = rowOf(best[i]);
    scores[i] = lexical.scores[rows[i]];
  }
  return {};
}

}  // namespace ontomem
