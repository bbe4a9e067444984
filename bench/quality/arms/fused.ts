// ontomem's dense-first recall as it is served: dense views, lexical arm and the session's structure, fused.

import type { Encoder, EncoderIdentity } from '../../../src/contract/encoder.js';
import { EncoderScale } from '../../../src/retrieve/encoder-scale.js';
import { openQueryLift } from '../../../src/retrieve/query-lift.js';
import { denseFirst, type RecallPlan } from '../../../src/retrieve/strategy.js';
import type { Arm } from '../arm.js';
import { engineRanker } from '../engine-shard.js';

const plans = new WeakMap<EncoderIdentity, Promise<RecallPlan>>();

/** The plan as `openMemory` makes it; measured once an encoder. */
export function servedPlan(encoder: Encoder): Promise<RecallPlan> {
  const known =
    plans.get(encoder.identity) ??
    EncoderScale.measure(encoder).then((scale) => denseFirst(scale, openQueryLift(encoder.identity)));
  plans.set(encoder.identity, known);
  return known;
}

/** The same plan for the query as it was encoded, without its lifted form. */
export function unliftedPlan({ strategy }: RecallPlan): RecallPlan {
  return { strategy: { ...strategy, maps: -1 }, viewWeights: Float32Array.of(1) };
}

export const fused: Arm = {
  name: 'fused',
  source: 'ontomem: src/retrieve, strategy DENSE_FIRST',
  async prepare(conversation, { encoder }) {
    const plan = await servedPlan(encoder);
    return engineRanker(conversation, plan);
  },
};
