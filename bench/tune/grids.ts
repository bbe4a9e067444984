// Every constant that is chosen by measurement: the method it belongs to, and the values to try.
import type { RecallPlan } from '../../src/retrieve/strategy.js';
import { TUNED_STRATEGY } from '../../src/retrieve/tuned.js';
import type { Arm } from '../quality/arm.js';
import { expansionArm } from '../quality/arms/feedback-expansion.js';
import { hipporagArm } from '../quality/arms/hipporag.js';
import { mixArm } from '../quality/arms/hybrid.js';
import { memoragArm } from '../quality/arms/memorag.js';
import { rewriteByTemplates } from '../quality/arms/query-rewrite.js';
import { summaryArm } from '../quality/arms/summary-memory.js';
import { TUNED_BASELINES } from '../quality/tuned.js';
import type { Grid } from './descent.js';

/** One method, where its choice starts, the grid it is made on, and the constants that are committed. */
export interface Tunable<S extends object> {
  name: string;
  start: S;
  committed: S;
  grid: Grid<S>;
  arm(settings: S): Arm;
}

export type StrategySettings = Record<keyof typeof TUNED_STRATEGY, number>;

/** The objective looks no deeper, and reading turns costs more than ranking them. */
const DEPTH = 10;

/** The recall as served: everything of the strategy that is chosen, and the share of the lifted view. */
export const STRATEGY_GRID: Tunable<StrategySettings> = {
  name: 'strategy',
  start: {
    liftedShare: 0.5,
    lexicalWeight: 0.7,
    coverageWeighting: 1,
    previousGain: 0.3,
    nextGain: 0.25,
    neighbourFloor: 1,
    bm25K1: 0.9,
    bm25B: 0.4,
    calibrationSlope: 1,
    calibrationOffset: 0,
  },
  committed: TUNED_STRATEGY,
  grid: {
    liftedShare: [0, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1],
    lexicalWeight: [0, 0.2, 0.35, 0.5, 0.7, 0.9, 1.2, 1.5],
    coverageWeighting: [0, 1],
    previousGain: [0, 0.15, 0.3, 0.45, 0.6, 0.8, 1],
    nextGain: [0, 0.1, 0.25, 0.4, 0.6],
    neighbourFloor: [0, 0.5, 1, 1.5, 2],
    bm25K1: [0.3, 0.6, 0.9, 1.2, 1.6],
    bm25B: [0, 0.2, 0.4, 0.6, 0.75],
  },
  arm: (settings) => ({
    name: 'fused',
    source: 'ontomem: src/retrieve, strategy DENSE_FIRST',
    async prepare(conversation, { engine }) {
      return engine.ranker(conversation, planWith(await engine.plan(), settings), DEPTH);
    },
  }),
};

/** The plan with other constants; the lifted view's share is left out where the encoder has no lift. */
export function planWith(plan: RecallPlan, { liftedShare, ...changes }: StrategySettings): RecallPlan {
  const viewWeights =
    plan.viewWeights.length === 1 ? plan.viewWeights : Float32Array.of(1 - liftedShare, liftedShare);
  return { strategy: { ...plan.strategy, ...changes }, viewWeights };
}

const SHARES = [0.5, 0.6, 0.7, 0.8, 0.9, 1];

/** The baselines with constants of their own; what their papers fix stays as it is there. */
export const BASELINE_GRIDS: ReadonlyArray<Tunable<Record<string, number>>> = [
  tunable('mix', { denseShare: 0.9 }, { denseShare: SHARES }, (settings) => mixArm(settings)),
  tunable(
    'summary memory',
    { share: 0.6, redundancy: 1, behind: 0.8 },
    { share: [0.3, 0.4, 0.5, 0.6, 0.8], behind: [0.6, 0.8, 1] },
    (settings) => summaryArm(settings),
  ),
  tunable(
    'query expansion',
    { turns: 3, terms: 20, ownTerms: 0.8, centroid: 0.1, denseShare: 0.9 },
    { turns: [1, 3, 5], terms: [10, 20], ownTerms: [0.5, 0.8], centroid: [0, 0.1, 0.3], denseShare: SHARES },
    (settings) => expansionArm(settings),
  ),
  tunable(
    'query rewrite',
    { statements: 2, denseShare: 0.9 },
    { statements: [0.5, 1, 2, 3], denseShare: SHARES },
    (settings) => rewriteByTemplates(settings),
  ),
  tunable(
    'hipporag',
    { synonymCosine: 0.8, damping: 0.7, nearestSeeds: 50, turnWeight: 1 },
    { damping: [0.5, 0.7], nearestSeeds: [20, 50], turnWeight: [1, 3] },
    (settings) => hipporagArm(settings),
  ),
  tunable(
    'memorag',
    { share: 0.3, statements: 12, terms: 10, queryWeight: 0.5, clueWeight: 0.3, termWeight: 0.2 },
    {
      share: [0.3, 0.5],
      statements: [6, 12],
      queryWeight: [0.5, 0.7, 1],
      clueWeight: [0, 0.1, 0.3],
      termWeight: [0, 0.1, 0.2, 0.3],
    },
    (settings) => memoragArm(settings),
  ),
];

type Baselines = typeof TUNED_BASELINES;

function tunable<N extends keyof Baselines>(
  name: N,
  start: Baselines[N],
  grid: Grid<Record<string, number>>,
  arm: (settings: Baselines[N]) => Arm,
): Tunable<Record<string, number>> {
  return {
    name,
    start: { ...start },
    committed: { ...TUNED_BASELINES[name] },
    grid,
    // `start` has every constant of the baseline, and the descent replaces values of them only.
    arm: (settings) => arm(settings as unknown as Baselines[N]),
  };
}
