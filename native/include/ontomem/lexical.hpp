// The lexical arm: BM25 over the postings of the visible rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ontomem/normalisation.hpp"
#include "ontomem/scratch.hpp"
#include "ontomem/visibility.hpp"

namespace ontomem {

/// Distinct query terms a call may have.
inline constexpr std::size_t kMaxQueryTerms = 1024;

struct LexicalQuery {
  /// 64-bit term hashes as pairs of words, low word first; distinct.
  std::span<const std::uint32_t> terms;
  /// Inverse document frequency of each term, or empty: ln(1 + (n - df + .5) / (df + .5)) over the
  /// visible rows.
  std::span<const float> idf;
  double k1;
  double b;
};

struct LexicalScores {
  /// [rows]; 0 for rows without a term of the query and for excluded rows.
  float* scores;
  /// [rows]; sum of the idf of the query's terms that the row has.
  float* coverage;
  /// Sum of the idf of all terms of the query that some visible row has.
  float totalIdf;
  /// The same of all terms, those no visible turn has included (df = 0).
  float wantedIdf;
  /// Best coverage of a row.
  float bestCoverage;
  float best;
  std::uint32_t termsKnown;
  Normalisation norm;
};

struct LexicalScratch {
  Scratch<float> scores;
  Scratch<float> coverage;
  std::vector<std::span<const Posting>> lists;
};

/// Robertson and Zaragoza's BM25, score = sum idf * tf (k1 + 1) / (tf + k1 (1 - b + b length / mean)).
/// O(rows) to clear and sum up, O(postings of the terms) to score. Throws std::bad_alloc.
LexicalScores scoreLexical(const Snapshot& snapshot, const Visibility& visibility,
                           const LexicalQuery& query, const ScorePrior& prior, LexicalScratch& scratch);

}  // namespace ontomem
