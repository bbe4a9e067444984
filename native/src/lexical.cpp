#include "ontomem/lexical.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace ontomem {
namespace {

std::uint64_t termHash(const LexicalQuery& query, std::size_t term) {
  return query.terms[2 * term] | static_cast<std::uint64_t>(query.terms[2 * term + 1]) << 32;
}

std::uint32_t documentFrequency(std::span<const std::span<const Posting>> lists,
                                const Visibility& visibility, std::size_t rows) {
  std::size_t frequency = 0;
  for (const auto list : lists) {
    if (!visibility.excluded) {
      frequency += list.size();
      continue;
    }
    for (const Posting& posting : list) frequency += visibility.sees(posting.row);
  }
  return static_cast<std::uint32_t>(std::min(frequency, rows));
}

}  // namespace

LexicalScores scoreLexical(const Snapshot& snapshot, const Visibility& visibility,
                           const LexicalQuery& query, const ScorePrior& prior, LexicalScratch& scratch) {
  const std::size_t rows = snapshot.rows;
  LexicalScores result{scratch.scores.ensure(rows + 1), scratch.coverage.ensure(rows + 1), 0, 0, 0, 0, 0, {}};
  std::memset(result.scores, 0, rows * sizeof(float));
  std::memset(result.coverage, 0, rows * sizeof(float));

  const double meanLength = std::max(visibility.meanLength, 1.0);
  const auto baseNorm = static_cast<float>(query.k1 * (1 - query.b));
  const auto lengthNorm = static_cast<float>(query.k1 * query.b / meanLength);
  const auto gain = static_cast<float>(query.k1 + 1);

  double sum = 0;
  double sumSquares = 0;
  for (std::size_t term = 0; term < query.terms.size() / 2; ++term) {
    scratch.lists.clear();
    for (const auto& run : snapshot.postings.runs()) {
      const auto list = run->find(termHash(query, term));
      if (!list.empty()) scratch.lists.push_back(list);
    }
    const std::uint32_t frequency = documentFrequency(scratch.lists, visibility, rows);
    const float idf =
        query.idf.empty()
            ? static_cast<float>(std::log1p((visibility.visible - frequency + 0.5) / (frequency + 0.5)))
            : query.idf[term];
    result.wantedIdf += idf;
    if (frequency == 0) continue;
    ++result.termsKnown;
    result.totalIdf += idf;
    for (const auto list : scratch.lists) {
      for (const Posting& posting : list) {
        if (!visibility.sees(posting.row)) continue;
        const float count = posting.count;
        float& score = result.scores[posting.row];
        const float part =
            idf * count * gain / (count + baseNorm + lengthNorm * static_cast<float>(posting.length));
        // (s + p)^2 - s^2, so that no second pass over the rows is needed.
        sumSquares += double(part) * (2.0 * score + part);
        sum += part;
        score += part;
        result.best = std::max(result.best, score);
        float& coverage = result.coverage[posting.row];
        coverage += idf;
        result.bestCoverage = std::max(result.bestCoverage, coverage);
      }
    }
  }
  result.norm = normalise(sum, sumSquares, visibility.visible, prior);
  return result;
}

}  // namespace ontomem
