// ontomem's own recall with one part at a time left out.
import type { Strategy } from '../../src/retrieve/strategy.js';
import type { Arm } from './arm.js';
import { dense } from './arms/dense.js';
import { unliftedPlan } from './arms/fused.js';

/** What each ablation changes in the strategy that is served; 'no query lift' takes a view away. */
const NO_LIFT = 'no query lift';
const ABLATIONS: Readonly<Record<string, Partial<Strategy>>> = {
  full: {},
  [NO_LIFT]: {},
  'no lexical arm': { lexicalWeight: 0 },
  'no dense arm': { denseWeight: 0 },
  'no neighbours': { previousGain: 0, nextGain: 0 },
  'neighbours without a floor': { neighbourFloor: 0 },
  'no coverage weighting': { coverageWeighting: 0 },
  'no priors': { densePriorCount: 0, lexicalPriorCount: 0 },
  'usual BM25': { bm25K1: 1.2, bm25B: 0.75 },
};

/** The unit of cost, the strategy as served, and the strategy without each of its parts. */
export const ABLATION_ARMS: readonly Arm[] = [
  dense,
  ...Object.entries(ABLATIONS).map(([name, changes]) => ablation(name, changes)),
];

function ablation(name: string, changes: Partial<Strategy>): Arm {
  return {
    name,
    source: 'ontomem: src/retrieve, strategy DENSE_FIRST',
    async prepare(conversation, { engine }) {
      const served = await engine.plan();
      const plan = name === NO_LIFT ? unliftedPlan(served) : served;
      return engine.ranker(conversation, { ...plan, strategy: { ...plan.strategy, ...changes } });
    },
  };
}
