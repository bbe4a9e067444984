// Every constant that is chosen by measurement: the method it belongs to, and the values to try.
import type { RecallPlan } from '../../src/retrieve/strategy.js';
import { TUNED_STRATEGY } from '../../src/retrieve/tuned.js';
import type { Arm } from '../quality/arm.js';
import { expansionArm } from '../quality/arms/feedback-expansion.js';
import { servedPlan } from '../quality/arms/fused.js';
import { hipporagArm } from '../quality/arms/hipporag.js';
import { mixArm } from '../quality/arms/hybrid.js';
import { memoragArm } from '../quality/arms/memorag.js';
import { rewriteByTemplates } from '../quality/arms/query-rewrite.js';
import { summaryArm } from '../quality/arms/summary-memory.js';
import { engineRanker } from '../quality/engine-shard.js';
import { TUNED_BASELINES } from '../quality/tuned.js';
import type { Grid } from './descent.js';

/** One method with its constants as they stand and the grid they are chosen on. */
export interface Tunable<S extends object> {
  name: string;
  start: S;
  grid: Grid<S>;
  arm(settings: S): Arm;
}

/** The recall as served: everything of the strategy that is chosen, and the share of the lifted view. */
export const STRATEGY_GRID: Tunable<Record<keyof typeof TUNED_STRATEGY, number>> = {
  name: 'strategy',
  start: { ...TUNED_STRATEGY },
  grid: {
    liftedShare: [0, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1],
    lexicalWeight: [0, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9],
    coverageWeighting: [0, 1],
    previousGain: [0, 0.1, 0.2, 0.3, 0.45, 0.6],
    nextGain: [0, 0.1, 0.25, 0.4],
    neighbourFloor: [0, 0.5, 1, 1.5, 2],
    bm25K1: [0.6, 0.9, 1.2, 1.6],
    bm25B: [0, 0.2, 0.4, 0.6, 0.75],
    densePriorCount: [0, 10, 20, 40],
    lexicalPriorCount: [0, 50, 100, 200, 400],
  },
  arm: ({ liftedShare, ...changes }) => ({
    name: 'fused',
    source: 'ontomem: src/retrieve, strategy DENSE_FIRST',
    async prepare(conversation, { encoder }) {
      return engineRanker(conversation, withShare(await servedPlan(encoder), liftedShare), changes);
    },
  }),
};

/** The plan with another share of the lifted view; as it is where the encoder has no lift. */
function withShare(plan: RecallPlan, share: number): RecallPlan {
  if (plan.viewWeights.length === 1) return plan;
  return { ...plan, viewWeights: Float32Array.of(1 - share, share) };
}

const SHARES = [0.5, 0.6, 0.7, 0.8, 0.9, 1];
const TENTHS = [0, 0.1, 0.2, 0.3, 0.4, 0.5];

/** The baselines with constants of their own; what their papers fix stays as it is there. */
export const BASELINE_GRIDS: ReadonlyArray<Tunable<Record<string, number>>> = [
  tunable('mix', { denseShare: SHARES }, (settings) => mixArm(settings)),
  tunable('summary memory', { share: [0.3, 0.4, 0.5, 0.6, 0.8], behind: [0.6, 0.8, 1] }, (settings) =>
    summaryArm(settings),
  ),
  tunable(
    'query expansion',
    { turns: [1, 3, 5], terms: [10, 20], ownTerms: [0.5, 0.8], centroid: [0, 0.1, 0.3], denseShare: SHARES },
    (settings) => expansionArm(settings),
  ),
  tunable('query rewrite', { statements: [0.5, 1, 2, 3], denseShare: SHARES }, (settings) =>
    rewriteByTemplates(settings),
  ),
  tunable(
    'hipporag',
    { damping: [0.3, 0.5, 0.7], nearestSeeds: [5, 20, 50], turnWeight: [0.3, 1, 3] },
    (settings) => hipporagArm(settings),
  ),
  tunable(
    'memorag',
    {
      share: [0.3, 0.5, 1],
      statements: [3, 6, 12],
      queryWeight: [0.5, 0.7, 1],
      clueWeight: TENTHS,
      termWeight: TENTHS,
    },
    (settings) => memoragArm(settings),
  ),
];

type Baselines = typeof TUNED_BASELINES;

/** A baseline by name, starting from its committed constants. */
function tunable<N extends keyof Baselines>(
  name: N,
  grid: Grid<Record<string, number>>,
  arm: (settings: Baselines[N]) => Arm,
): Tunable<Record<string, number>> {
  const start: Record<string, number> = { ...TUNED_BASELINES[name] };
  // `start` has every constant of the baseline, and the descent replaces values of them only.
  return { name, start, grid, arm: (settings) => arm(settings as unknown as Baselines[N]) };
}
