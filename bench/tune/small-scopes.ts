// What the z-scores of a scope of few turns lean on: chosen on dialogues of at most ten turns.
import { TUNED_PRIORS } from '../../src/retrieve/tuned.js';
import { readCorpus } from '../ipr/corpus.js';
import type { Arm } from '../quality/arm.js';
import { iprColdStarts } from '../quality/datasets/ipr.js';
import { CHOSEN_ON, prepareDataset, scoreOf } from './objective.js';
import type { Tunable } from './tunable.js';

type Priors = typeof TUNED_PRIORS;

/** Turns of a cold start at most. */
const DEPTH = 10;

/** R@10 of ten turns is always 1: what is chosen by is nDCG. */
export const SMALL_SCOPES: Tunable<Priors> = {
  name: 'small scopes',
  // As it stood before there was a grid: the curves are flat but for a lexical prior of some weight.
  start: { densePriorCount: 20, lexicalPriorMean: 1, lexicalPriorDeviation: 2, lexicalPriorCount: 200 },
  committed: TUNED_PRIORS,
  grid: {
    lexicalPriorCount: [0, 20, 50, 200, 1000],
    lexicalPriorMean: [0, 1, 2],
    lexicalPriorDeviation: [1, 2, 4],
    densePriorCount: [0, 5, 20, 80, 320],
  },
  // One request of a cold start that is found a place earlier moves the mean so much.
  leastGain: 0.002,
  place: { file: 'src/retrieve/tuned.ts', block: 'TUNED_PRIORS' },
  async measure({ services, seed }) {
    const cold = await Promise.all(
      CHOSEN_ON.map((split) => prepareDataset(iprColdStarts(readCorpus(split), seed), services)),
    );
    return (priors) => scoreOf(withPriors(priors), cold.flat(), services);
  },
};

function withPriors(priors: Priors): Arm {
  return {
    name: 'fused',
    source: 'ontomem: src/retrieve, strategy DENSE_FIRST',
    async prepare(conversation, { engine }) {
      const { strategy, viewWeights } = await engine.plan();
      return engine.ranker(conversation, { strategy: { ...strategy, ...priors }, viewWeights }, DEPTH);
    },
  };
}
