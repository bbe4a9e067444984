// The dense-first strategy as data: the numbers that were tuned, each with the measurement that chose it.
import type { RecallParameter } from '../native/layout.js';
import type { EncoderScale } from './encoder-scale.js';
import { TUNED_PRIORS, TUNED_STRATEGY } from './tuned.js';

/** Values for the native recall; what a query does not set is taken from here. */
export type Strategy = Readonly<Record<RecallParameter, number>>;

/**
 * Dense and lexical z-scores mixed, each turn gaining from its neighbours in the session. Weights and
 * gains from a grid on the train split of our own corpus; LoCoMo with MiniLM, untouched by it: see
 * bench/README.md.
 */
export const DENSE_FIRST: Strategy = {
  asOfMs: Number.POSITIVE_INFINITY,
  nowMs: Number.NaN,
  fromMs: Number.NEGATIVE_INFINITY,
  toMs: Number.POSITIVE_INFINITY,
  session: -1,
  speaker: -1,
  speakerCue: -1,
  denseWeight: 0.7,
  // As much as dense for a query whose words some turn unites, less the fewer it has of them: implicit
  // queries meet memory in its commonplaces only.
  lexicalWeight: TUNED_STRATEGY.lexicalWeight,
  coverageWeighting: TUNED_STRATEGY.coverageWeighting,
  // A neighbour lends what it has above one standard deviation; a weak reply takes nothing away.
  previousGain: TUNED_STRATEGY.previousGain,
  nextGain: TUNED_STRATEGY.nextGain,
  neighbourFloor: TUNED_STRATEGY.neighbourFloor,
  bm25K1: TUNED_STRATEGY.bm25K1,
  bm25B: TUNED_STRATEGY.bm25B,
  // A scope of few turns has no statistics of its own: its z-scores lean on these. The dense ones are
  // the encoder's (EncoderScale).
  densePriorMean: 0,
  densePriorDeviation: 1,
  densePriorCount: TUNED_PRIORS.densePriorCount,
  lexicalPriorMean: TUNED_PRIORS.lexicalPriorMean,
  lexicalPriorDeviation: TUNED_PRIORS.lexicalPriorDeviation,
  lexicalPriorCount: TUNED_PRIORS.lexicalPriorCount,
  contentSlope: 0,
  contentOffset: 0,
  graphWeight: 0,
  contentWeight: 1,
  profileWeight: 0,
  hops: 0,
  hopDecay: 0.5,
  halfLifeMs: Number.POSITIVE_INFINITY,
  hubDamping: 0.5,
  fanOut: 16,
  expansionBudget: 512,
  candidates: 64,
  denseQuota: 8,
  lexicalQuota: 8,
  graphQuota: 8,
  limit: 10,
  scorer: -1,
  scorerWeight: 0,
  maps: -1,
  calibrationSlope: TUNED_STRATEGY.calibrationSlope,
  calibrationOffset: TUNED_STRATEGY.calibrationOffset,
  // Before anything is known of them, one of the turns that may be returned is what was meant.
  priorOdds: 1,
  deadlineUs: Number.POSITIVE_INFINITY,
};

/** A strategy ready to run: its numbers, and the weight of each dense view of a query. */
export interface RecallPlan {
  strategy: Strategy;
  /** The query as encoded, then its lifted form where there is one. */
  viewWeights: Float32Array;
}

/** The dense-first plan with the encoder's own prior and, where one was trained for it, its query lift. */
export function denseFirst({ unrelated }: EncoderScale, lift: number | undefined): RecallPlan {
  const prior = { densePriorMean: unrelated.mean, densePriorDeviation: unrelated.deviation };
  if (lift === undefined) return { strategy: { ...DENSE_FIRST, ...prior }, viewWeights: Float32Array.of(1) };
  return {
    strategy: { ...DENSE_FIRST, ...prior, maps: lift },
    viewWeights: Float32Array.of(1 - TUNED_STRATEGY.liftedShare, TUNED_STRATEGY.liftedShare),
  };
}
