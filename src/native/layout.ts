// The numbers and orders that this library and the native addon agree on; native.ts checks them at load.

/** In `evidenceRow`: no row. In paths: a structural edge. */
export const NONE = 0xffffffff;

/** Top two bits of a graph node: what it is. A turn's node is its row. */
export const NodeKind = { turn: 0, session: 0x40000000, speaker: 0x80000000, concept: 0xc0000000 } as const;

/** Edge types read from the rows themselves; stored edges use FIRST_STORED and above, below 1,024. */
export const StructuralEdge = { next: 0, inSession: 1, spokenBy: 2 } as const;
export const FIRST_STORED_EDGE_TYPE = 3;

/** Bits of a row's flags that the features read. */
export const RowFlag = {
  questionMark: 1,
  firstPerson: 2,
  caption: 4,
  dated: 8,
  timeWords: 16,
  digits: 32,
  properName: 64,
} as const;

/** In the order of the array that a recall takes; the meaning of each is in native's recall_layout.hpp. */
export const RECALL_PARAMETERS = [
  'asOfMs',
  'nowMs',
  'fromMs',
  'toMs',
  'session',
  'speaker',
  'speakerCue',
  'denseWeight',
  'lexicalWeight',
  'coverageWeighting',
  'previousGain',
  'nextGain',
  'neighbourFloor',
  'bm25K1',
  'bm25B',
  'densePriorMean',
  'densePriorDeviation',
  'densePriorCount',
  'lexicalPriorMean',
  'lexicalPriorDeviation',
  'lexicalPriorCount',
  'contentSlope',
  'contentOffset',
  'graphWeight',
  'contentWeight',
  'profileWeight',
  'hops',
  'hopDecay',
  'halfLifeMs',
  'hubDamping',
  'fanOut',
  'expansionBudget',
  'candidates',
  'denseQuota',
  'lexicalQuota',
  'graphQuota',
  'limit',
  'scorer',
  'scorerWeight',
  'maps',
  'calibrationSlope',
  'calibrationOffset',
  'priorOdds',
  'deadlineUs',
] as const;

/** Columns of a candidate's feature row, in order. */
export const CANDIDATE_FEATURES = [
  'dense0',
  'dense1',
  'dense2',
  'dense3',
  'denseZ0',
  'denseZ1',
  'denseZ2',
  'denseZ3',
  'densePrevious0',
  'densePrevious1',
  'densePrevious2',
  'densePrevious3',
  'denseNext0',
  'denseNext1',
  'denseNext2',
  'denseNext3',
  'lexical',
  'lexicalZ',
  'lexicalPrevious',
  'lexicalNext',
  'lexicalCoverage',
  'mix',
  'mixPrevious',
  'mixNext',
  'smoothed',
  'sessionBest',
  'sessionGap',
  'rank',
  'speakerMatch',
  'questionMark',
  'previousQuestionMark',
  'firstPerson',
  'caption',
  'dated',
  'timeWords',
  'digits',
  'properName',
  'age',
  'length',
  'graph',
  'graphBest',
  'graphHops',
  'profile',
] as const;

/** What each arm gave to a candidate's raw score; without a content slope they sum to it. */
export const SCORE_PARTS = ['dense', 'lexical', 'structure', 'graph', 'profile'] as const;

/** What a recall tells of itself, in order. */
export const RECALL_STATS = [
  'rows',
  'layout',
  'visible',
  'candidates',
  'denseMean',
  'denseDeviation',
  'denseBest',
  'lexicalMean',
  'lexicalDeviation',
  'lexicalBest',
  'wanted',
  'wantedDenseBest',
  'wantedLexicalBest',
  'termsKnown',
  'coverageBest',
  'graphReached',
  'edgesExamined',
  'budgetSpent',
  'margin',
  'disagreement',
  'partial',
  'visibilityUs',
  'denseUs',
  'lexicalUs',
  'graphUs',
  'fusionUs',
  'featuresUs',
  'scorerUs',
  'totalUs',
] as const;

export type RecallParameter = (typeof RECALL_PARAMETERS)[number];
export type CandidateFeature = (typeof CANDIDATE_FEATURES)[number];
export type ScorePart = (typeof SCORE_PARTS)[number];
export type RecallStat = (typeof RECALL_STATS)[number];
