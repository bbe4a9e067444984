// Holds every kernel of one instruction set against f64 on one case. Used by the test and the fuzzer.
#pragma once

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <string>

#include "kernels_case.hpp"

namespace ontomem::kernels::test {

/// Collects what went wrong, with enough to run the case again.
class Report {
 public:
  Report(const Kernels& kernels, std::uint64_t seed) : name_(kernels.name), seed_(seed) {}
  void expect(bool condition, const char* what) {
    if (condition) return;
    ++failures_;
    std::fprintf(stderr, "%s, seed %llu: %s\n", name_, static_cast<unsigned long long>(seed_), what);
  }
  int failures() const { return failures_; }

 private:
  const char* name_;
  std::uint64_t seed_;
  int failures_ = 0;
};

/// Checks one top-k answer: sorted by the tie rule, scores within tolerance, nothing better left out.
/// `exactly`: the f32 arithmetic is exact, so rows must be the f64 ones, ties included.
inline void checkHits(Report& report, const Case& c, const std::vector<Reference>& references, const Hit* hits,
                      std::size_t found, bool exactly, const char* what) {
  std::vector<std::uint32_t> expected;
  for (std::uint32_t row = 0; row < c.count; ++row) {
    if (!c.isExcluded(row)) expected.push_back(row);
  }
  const std::size_t kept = std::min(c.k, expected.size());
  report.expect(found == kept, what);
  if (found != kept || kept == 0) return;
  std::partial_sort(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(kept), expected.end(),
                    [&](std::uint32_t a, std::uint32_t b) {
                      const double left = references[a].score, right = references[b].score;
                      return left > right || (left == right && a > b);
                    });
  const Reference& last = references[expected[kept - 1]];
  for (std::size_t i = 0; i < kept; ++i) {
    if (hits[i].row >= c.count || c.isExcluded(hits[i].row)) return report.expect(false, what);
    const Reference& reference = references[hits[i].row];
    report.expect(std::fabs(hits[i].score - reference.score) <= reference.tolerance, what);
    report.expect(reference.score >= last.score - reference.tolerance - last.tolerance, what);
    if (exactly) report.expect(hits[i].row == expected[i], what);
    if (i == 0) continue;
    const bool ordered = hits[i - 1].score > hits[i].score ||
                         (hits[i - 1].score == hits[i].score && hits[i - 1].row > hits[i].row);
    report.expect(ordered, what);
  }
}

inline void checkScores(Report& report, const Case& c, const std::vector<Reference>& references, const float* scores,
                        const ScoreStats& stats, const char* what) {
  double sum = 0, squares = 0, magnitude = 0;
  float max = -INFINITY;
  std::uint32_t count = 0;
  for (std::size_t row = 0; row < c.count; ++row) {
    report.expect(std::fabs(scores[row] - references[row].score) <= references[row].tolerance, what);
    if (c.isExcluded(row)) continue;
    ++count;
    sum += scores[row];
    magnitude += std::fabs(scores[row]);
    squares += static_cast<double>(scores[row]) * scores[row];
    max = std::max(max, scores[row]);
  }
  report.expect(stats.count == count && stats.max == max, what);
  report.expect(std::fabs(stats.sum - sum) <= 1e-5 * magnitude + 1e-30, what);
  report.expect(std::fabs(stats.sumSquares - squares) <= 1e-5 * squares + 1e-30, what);
}

/// References of every row against every query, for one format.
using References = std::vector<std::vector<Reference>>;

inline References referencesF32(const Case& c) {
  References all(c.queryCount);
  for (std::size_t q = 0; q < c.queryCount; ++q) {
    for (std::size_t row = 0; row < c.count; ++row) {
      all[q].push_back(referenceDot(
          c.dimension, [&](std::size_t i) { return c.source[row * c.dimension + i]; },
          [&](std::size_t i) { return c.queries[q][i]; }));
    }
  }
  return all;
}

inline References referencesBf16(const Kernels& kernels, const Case& c, const Matrices& m, bool roundQuery) {
  References all(c.queryCount);
  LineArray<std::uint16_t> rounded(paddedDimension(Format::bf16, c.dimension));
  for (std::size_t q = 0; q < c.queryCount; ++q) {
    kernels.quantiseBf16(c.queries[q].data(), c.dimension, 1, c.dimension, rounded.data(), rounded.size());
    for (std::size_t row = 0; row < c.count; ++row) {
      all[q].push_back(referenceDot(
          c.dimension, [&](std::size_t i) { return widen(m.bf16[row * m.bf16Rows.stride + i]); },
          [&](std::size_t i) { return roundQuery ? widen(rounded[i]) : c.queries[q][i]; }));
    }
  }
  return all;
}

inline References referencesInt8(const Kernels& kernels, const Case& c, const Matrices& m) {
  References all(c.queryCount);
  LineArray<std::int8_t> rounded(paddedDimension(Format::int8, c.dimension));
  for (std::size_t q = 0; q < c.queryCount; ++q) {
    float scale;
    std::int32_t sum;
    kernels.quantiseInt8(c.queries[q].data(), c.dimension, 1, c.dimension, rounded.data(), rounded.size(), &scale, &sum);
    for (std::size_t row = 0; row < c.count; ++row) {
      all[q].push_back(referenceDot(
          c.dimension, [&](std::size_t i) { return m.int8[row * m.int8Rows.stride + i]; },
          [&](std::size_t i) { return rounded[i]; }, static_cast<double>(scale) * m.scales[row]));
    }
  }
  return all;
}

inline void checkQuantised(Report& report, const Case& c, const Matrices& m) {
  for (std::size_t row = 0; row < c.count; ++row) {
    const float* source = c.source.data() + row * c.dimension;
    std::int32_t sum = 0;
    float largest = 0;
    for (std::size_t i = 0; i < c.dimension; ++i) largest = std::max(largest, std::fabs(source[i]));
    for (std::size_t i = 0; i < c.dimension; ++i) {
      const int value = m.int8[row * m.int8Rows.stride + i];
      sum += value;
      const double error = std::fabs(static_cast<double>(m.scales[row]) * value - source[i]);
      report.expect(error <= 0.5001 * largest / 127 + 1e-30, "int8 value is not the nearest");
      report.expect(value >= -127 && value <= 127, "int8 value out of range");
      const double lost = std::fabs(widen(m.bf16[row * m.bf16Rows.stride + i]) - source[i]);
      report.expect(lost <= 0x1p-8 * std::fabs(source[i]) + 1e-40, "bf16 value is not the nearest");
    }
    report.expect(sum == m.sums[row], "int8 row sum");
  }
}

template <class Rows, class Scores>
void checkAllScores(Report& report, const Case& c, const Rows& rows, Scores scores, const References& references,
                    const char* what) {
  const std::size_t queryCount = std::min(c.queryCount, kMaxScoreQueries);
  const float* queries[kMaxScoreQueries];
  for (std::size_t q = 0; q < queryCount; ++q) queries[q] = c.queries[q].data();
  std::vector<float> out(queryCount * c.count);
  ScoreStats stats[kMaxScoreQueries];
  scores(rows, queries, queryCount, c.excludedBits(), out.data(), c.count, stats);
  for (std::size_t q = 0; q < queryCount; ++q) {
    checkScores(report, c, references[q], out.data() + q * c.count, stats[q], what);
  }
}

/// Selecting from given scores is exact: the scores themselves are the reference.
inline void checkSelection(Report& report, const Kernels& kernels, const Case& c, const std::vector<Reference>& references) {
  std::vector<float> scores;
  std::vector<Reference> exact;
  for (const Reference& reference : references) {
    scores.push_back(static_cast<float>(reference.score));
    exact.push_back({scores.back(), 0});
  }
  std::vector<Hit> hits(c.k);
  const std::size_t found = kernels.selectTopk(scores.data(), scores.size(), c.options(), hits.data());
  checkHits(report, c, exact, hits.data(), found, true, "selectTopk");
}

template <class Rows, class Pack, class Topk>
void checkBatch(Report& report, const Case& c, const Rows& rows, Pack pack, Topk topk, const References& references,
                bool exactly, const char* what) {
  std::vector<const float*> queries;
  for (const auto& query : c.queries) queries.push_back(query.data());
  LineArray<char> words(packedQueryBytes(c.dimension));
  PackedQueries packed;
  packed.data = words.data();
  pack(queries.data(), c.queryCount, c.dimension, packed);
  std::vector<Hit> hits(c.queryCount * c.k);
  std::vector<std::size_t> counts(c.queryCount);
  topk(rows, packed, c.options(), hits.data(), counts.data());
  for (std::size_t q = 0; q < c.queryCount; ++q) {
    checkHits(report, c, references[q], hits.data() + q * c.k, counts[q], exactly, what);
  }
}

/// Runs the whole case; returns the number of failed expectations.
inline int checkCase(const Kernels& kernels, std::uint64_t seed, std::size_t largestCount) {
  const Case c = makeCase(seed, largestCount);
  const Matrices m(kernels, c);
  Report report(kernels, seed);
  const bool exactly = c.content == Content::integers || c.content == Content::zeros;
  checkQuantised(report, c, m);
  report.expect(kernels.allFinite(c.source.data(), c.source.size()), "finite rows taken for infinite");

  const References f32 = referencesF32(c);
  const References bf16 = referencesBf16(kernels, c, m, true);
  const References bf16Exact = referencesBf16(kernels, c, m, false);
  const References int8 = referencesInt8(kernels, c, m);
  const float* query = c.queries[0].data();
  std::vector<Hit> hits(c.k);
  const auto check = [&](std::size_t found, const References& references, bool exact, const char* what) {
    checkHits(report, c, references[0], hits.data(), found, exact, what);
  };
  check(kernels.topkF32(m.f32Rows, query, c.options(), hits.data()), f32, exactly, "topkF32");
  check(kernels.topkBf16(m.bf16Rows, query, c.options(), hits.data()), bf16, exactly, "topkBf16");
  check(kernels.topkInt8(m.int8Rows, query, c.options(), hits.data()), int8, false, "topkInt8");
  // With no more rows than candidates every row is rescored, and the answer is that of the exact rows.
  if (c.count <= rescoreCandidates(c.k)) {
    check(kernels.topkInt8RescoredF32(m.int8Rows, m.f32Rows, query, c.options(), hits.data()), f32, exactly,
          "topkInt8RescoredF32");
    check(kernels.topkInt8RescoredBf16(m.int8Rows, m.bf16Rows, query, c.options(), hits.data()), bf16Exact, exactly,
          "topkInt8RescoredBf16");
  }
  checkSelection(report, kernels, c, f32[0]);
  checkAllScores(report, c, m.f32Rows, kernels.scoresF32, f32, "scoresF32");
  checkAllScores(report, c, m.bf16Rows, kernels.scoresBf16, bf16, "scoresBf16");
  checkAllScores(report, c, m.int8Rows, kernels.scoresInt8, int8, "scoresInt8");
  checkBatch(report, c, m.f32Rows, kernels.packF32, kernels.topkBatchF32, f32, exactly, "topkBatchF32");
  checkBatch(report, c, m.bf16Rows, kernels.packBf16, kernels.topkBatchBf16, bf16, exactly, "topkBatchBf16");
  checkBatch(report, c, m.int8Rows, kernels.packInt8, kernels.topkBatchInt8, int8, false, "topkBatchInt8");
  return report.failures();
}

}  // namespace ontomem::kernels::test
