// The arms on their own: exact flat inner-product search, single and batched, and BM25.
#pragma once

#include <cstdint>
#include <span>

#include "ontomem/lexical.hpp"
#include "ontomem/recall.hpp"
#include "ontomem/status.hpp"

namespace ontomem {

/// For each query the best `k` live rows by inner product, best first; ties: higher row. queries
/// [n][dimension]; rows and scores [n][k], counts [n]. Exact for f32 and int8 (rescored) shards, exact
/// for the stored values of bf16 ones. From two queries on, blocks of rows are read once for up to 32.
Outcome searchFlat(const Snapshot& snapshot, std::span<const float> queries, std::size_t k,
                   ReaderScratch& scratch, std::span<Row> rows, std::span<float> scores,
                   std::span<std::uint32_t> counts,
                   kernels::Residency residency = kernels::Residency::automatic);

/// The best `k` live rows by BM25 with a term of the query; ties: higher row. `count`
/// receives how many.
Outcome searchLexical(const Snapshot& snapshot, const LexicalQuery& query, std::size_t k,
                      ReaderScratch& scratch, std::span<Row> rows, std::span<float> scores,
                      std::uint32_t& count);

}  // namespace ontomem
