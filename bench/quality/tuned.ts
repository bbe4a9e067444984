// The constants of the baselines. Written by `npm run -s bench -- tune`, on the train and dev splits alone; the curves
// stand in bench/tune/curves.json. What a method's own paper fixes is not among them.

export const TUNED_BASELINES = {
  mix: {
    denseShare: 0.9,
  },
  'summary memory': {
    share: 0.6,
    redundancy: 1,
    behind: 1,
  },
  'query expansion': {
    turns: 3,
    terms: 20,
    ownTerms: 0.8,
    centroid: 0,
    denseShare: 0.9,
  },
  'query rewrite': {
    statements: 1,
    denseShare: 0.9,
  },
  hipporag: {
    synonymCosine: 0.8,
    damping: 0.7,
    nearestSeeds: 50,
    turnWeight: 1,
  },
  memorag: {
    share: 0.5,
    statements: 6,
    terms: 10,
    queryWeight: 0.5,
    clueWeight: 0,
    termWeight: 0.3,
  },
  'cross-encoder': {
    weight: 0.4,
  },
};
