// The constants of the dense-first strategy that are chosen by measurement. Written by `npm run -s bench -- tune`, on the
// train and dev splits of our own corpus alone; the curves stand in bench/tune/curves.json.

export const TUNED_STRATEGY = {
  /** Weight of the lifted form of the query against 1 - it for the query as encoded. */
  liftedShare: 0.9,
  /** BM25's z-scores beside .7 for the dense ones. */
  lexicalWeight: 0.9,
  /** 1: the lexical arm counts by the share of the query's idf that some one turn covers. */
  coverageWeighting: 1,
  /** What a turn gains of the score of the turn before and after it, above `neighbourFloor` standard deviations. */
  previousGain: 0.8,
  nextGain: 0.25,
  neighbourFloor: 1,
  bm25K1: 0.9,
  bm25B: 0.4,
  /** Chance of a turn: logistic(slope · fused score + offset - log of the turns it was chosen from). */
  calibrationSlope: 0.69,
  calibrationOffset: 1.17,
};

/** What the z-scores of a scope of few turns lean on, in turns; measured on dialogues of at most ten. */
export const TUNED_PRIORS = {
  densePriorCount: 20,
  lexicalPriorMean: 1,
  lexicalPriorDeviation: 2,
  lexicalPriorCount: 200,
};

export const TUNED_ABSTENTION = {
  /** By how much a query must be nearer to nonsense than to any turn before nothing is returned for it. */
  nonsenseMargin: 0,
};
