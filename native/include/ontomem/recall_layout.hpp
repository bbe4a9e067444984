// The numbers that go into and come out of a recall, each list in one place. The binding hands the names
// to TypeScript, so an index is never written twice.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace ontomem {

// Parameters: one Float64Array in this order.
#define ONTOMEM_RECALL_PARAMETERS(X)                                                                  \
  /* Time: what exists for this recall, see Visibility. */                                            \
  X(asOfMs)             /* later rows are invisible, edges must be valid at it; +inf = now */         \
  X(nowMs)              /* ages and decay count back from it; not finite = the newest row's time */   \
  /* Filters: what may be returned, see RowFilter. */                                                 \
  X(fromMs)             /* at >= fromMs; -inf = all */                                                \
  X(toMs)               /* at < toMs; +inf = all */                                                   \
  X(session)            /* the caller's session number, or -1 */                                      \
  X(speaker)            /* the caller's speaker number, or -1 */                                      \
  X(speakerCue)         /* speaker that the question names (a feature, no filter), or -1 */           \
  /* Content: mix = dense * sum(viewWeight * z(dense)) + lexical * z(bm25), then neighbours. */        \
  X(denseWeight)                                                                                      \
  X(lexicalWeight)                                                                                    \
  X(coverageWeighting)  /* 1: lexicalWeight is scaled by the best turn's share of the query's idf; 0: not */ \
  X(previousGain)       /* share of what the previous turn's mix has above the floor */               \
  X(nextGain)           /* share of what the next turn's mix has above the floor */                   \
  X(neighbourFloor)     /* mix below it lends nothing and takes nothing */                            \
  X(bm25K1)                                                                                           \
  X(bm25B)                                                                                            \
  X(densePriorMean)     /* z-scores of small scopes lean on a prior worth PriorCount rows */          \
  X(densePriorDeviation)                                                                              \
  X(densePriorCount)                                                                                  \
  X(lexicalPriorMean)                                                                                 \
  X(lexicalPriorDeviation)                                                                            \
  X(lexicalPriorCount)                                                                                \
  X(contentSlope)       /* not 0: content = logistic(slope * smoothed mix + offset) */                \
  X(contentOffset)                                                                                    \
  /* Eq. 1: fused = graphWeight * graph + contentWeight * content + profileWeight * profile. */       \
  X(graphWeight)                                                                                      \
  X(contentWeight)                                                                                    \
  X(profileWeight)                                                                                    \
  /* Metapath expansion. */                                                                           \
  X(hops)               /* 0..4 */                                                                    \
  X(hopDecay)           /* factor a hop, in [0, 1] */                                                 \
  X(halfLifeMs)         /* an edge's weight halves in this time; +inf = never */                      \
  X(hubDamping)         /* contribution is divided by (ends of the node) ^ hubDamping */              \
  X(fanOut)             /* best edges followed from a node */                                         \
  X(expansionBudget)    /* edge ends examined in all */                                               \
  /* Candidates: half by the fused score, the best of every arm, filled up by the fused score. */     \
  X(candidates)                                                                                       \
  X(denseQuota)         /* places of the best rows of each dense view */                              \
  X(lexicalQuota)                                                                                     \
  X(graphQuota)                                                                                       \
  X(limit)              /* rows returned */                                                           \
  /* Learned parts: handles of loadModel and loadMaps, or -1. */                                      \
  X(scorer)                                                                                           \
  X(scorerWeight)       /* raw = scorerWeight * scorer + (1 - scorerWeight) * fused */                \
  X(maps)               /* each map of query 0 is one more dense view */                              \
  /* score = logistic(slope * raw + offset); slope > 0 */                                             \
  X(calibrationSlope)                                                                                 \
  X(calibrationOffset)                                                                                \
  X(priorOdds)          /* 1: one in n of the rows that may be returned is meant: offset - ln n; 0: not */ \
  X(deadlineUs)         /* from the start of the call; stages begun after it are skipped */

// Features of a candidate, one float each, in this order. z = after z-normalising as in the mix;
// 'previous' and 'next' are the neighbours of the turn in its session, 0 where there is none.
#define ONTOMEM_CANDIDATE_FEATURES(X)                                                     \
  X(dense0)             /* inner product with each view, 0 for views not asked */         \
  X(dense1)                                                                               \
  X(dense2)                                                                               \
  X(dense3)                                                                               \
  X(denseZ0)                                                                              \
  X(denseZ1)                                                                              \
  X(denseZ2)                                                                              \
  X(denseZ3)                                                                              \
  X(densePrevious0)     /* z of the neighbours, view by view */                           \
  X(densePrevious1)                                                                       \
  X(densePrevious2)                                                                       \
  X(densePrevious3)                                                                       \
  X(denseNext0)                                                                           \
  X(denseNext1)                                                                           \
  X(denseNext2)                                                                           \
  X(denseNext3)                                                                           \
  X(lexical)            /* BM25 */                                                        \
  X(lexicalZ)                                                                             \
  X(lexicalPrevious)    /* z */                                                           \
  X(lexicalNext)        /* z */                                                           \
  X(lexicalCoverage)    /* share of the query's idf that the turn's terms cover */        \
  X(mix)                                                                                  \
  X(mixPrevious)                                                                          \
  X(mixNext)                                                                              \
  X(smoothed)           /* mix with the neighbours' gains */                              \
  X(sessionBest)        /* best mix of the turn's session */                              \
  X(sessionGap)         /* mix - sessionBest */                                           \
  X(rank)               /* 1 / (1 + place of the candidate by fused score) */             \
  X(speakerMatch)       /* 1: spoken by speakerCue; -1: by another; 0: no cue */          \
  X(questionMark)                                                                         \
  X(previousQuestionMark)                                                                 \
  X(firstPerson)                                                                          \
  X(caption)                                                                              \
  X(dated)                                                                                \
  X(timeWords)                                                                            \
  X(digits)                                                                               \
  X(properName)                                                                           \
  X(age)                /* ln(1 + days before now) */                                     \
  X(length)             /* ln(1 + tokens) */                                              \
  X(graph)              /* support by all shortest walked paths, in [0, 1] */             \
  X(graphBest)          /* contribution of the best path, in [0, 1] */                    \
  X(graphHops)          /* 1 / (1 + hops of the path), 0 when not reached */              \
  X(profile)

// Parts of a candidate's fused score, in this order; without a content slope they sum to the raw score.
#define ONTOMEM_SCORE_PARTS(X) \
  X(dense)                     \
  X(lexical)                   \
  X(structure)                 \
  X(graph)                     \
  X(profile)

// What a recall tells of itself: one Float64Array in this order.
#define ONTOMEM_RECALL_STATS(X)                                                              \
  X(rows)               /* of the snapshot */                                                \
  X(layout)             /* of the snapshot: changes when compaction renumbers rows */        \
  X(visible)            /* rows scored */                                                    \
  X(candidates)                                                                              \
  X(denseMean)          /* view 0, before shrinking */                                       \
  X(denseDeviation)                                                                          \
  X(denseBest)                                                                               \
  X(lexicalMean)                                                                             \
  X(lexicalDeviation)                                                                        \
  X(lexicalBest)                                                                             \
  X(wanted)             /* rows that may be returned: visible and let through by the filter */ \
  X(wantedDenseBest)    /* denseBest of the candidates, which the filter has let through */  \
  X(wantedLexicalBest)                                                                       \
  X(termsKnown)         /* query terms that some visible turn has */                         \
  X(coverageBest)       /* best lexicalCoverage of a candidate */                            \
  X(graphReached)       /* turns reached by the expansion */                                 \
  X(edgesExamined)                                                                           \
  X(budgetSpent)        /* 1: the expansion stopped at its budget */                         \
  X(margin)             /* best raw score minus the second best */                           \
  X(disagreement)       /* 1 - shared share of the top 10 by graph and by view 0; 0 without a graph arm */ \
  X(partial)            /* 1: the deadline cut stages off */                                 \
  X(visibilityUs)                                                                            \
  X(denseUs)                                                                                 \
  X(lexicalUs)                                                                               \
  X(graphUs)                                                                                 \
  X(fusionUs)                                                                                \
  X(featuresUs)                                                                              \
  X(scorerUs)                                                                                \
  X(totalUs)

#define ONTOMEM_FIELD(name) double name;
#define ONTOMEM_ENUMERATOR(name) name,
#define ONTOMEM_NAME(name) std::string_view{#name},

struct RecallParameters {
  ONTOMEM_RECALL_PARAMETERS(ONTOMEM_FIELD)
};
struct RecallStats {
  ONTOMEM_RECALL_STATS(ONTOMEM_FIELD)
};

namespace feature {
enum Index : std::size_t { ONTOMEM_CANDIDATE_FEATURES(ONTOMEM_ENUMERATOR) count };
}
namespace part {
enum Index : std::size_t { ONTOMEM_SCORE_PARTS(ONTOMEM_ENUMERATOR) count };
}

inline constexpr std::array kParameterNames{ONTOMEM_RECALL_PARAMETERS(ONTOMEM_NAME)};
inline constexpr std::array kFeatureNames{ONTOMEM_CANDIDATE_FEATURES(ONTOMEM_NAME)};
inline constexpr std::array kPartNames{ONTOMEM_SCORE_PARTS(ONTOMEM_NAME)};
inline constexpr std::array kStatNames{ONTOMEM_RECALL_STATS(ONTOMEM_NAME)};

#undef ONTOMEM_FIELD
#undef ONTOMEM_ENUMERATOR
#undef ONTOMEM_NAME

static_assert(sizeof(RecallParameters) == kParameterNames.size() * sizeof(double));
static_assert(sizeof(RecallStats) == kStatNames.size() * sizeof(double));

}  // namespace ontomem
