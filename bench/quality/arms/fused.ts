// ontomem's dense-first recall as it is served: dense views, lexical arm and the session's structure, fused.
import type { RecallPlan } from '../../../src/retrieve/strategy.js';
import type { Arm } from '../arm.js';

/** A plan for the query as it was encoded, without its lifted form. */
export function unliftedPlan({ strategy }: RecallPlan): RecallPlan {
  return { strategy: { ...strategy, maps: -1 }, viewWeights: Float32Array.of(1) };
}

export const fused: Arm = {
  name: 'fused',
  source: 'ontomem: src/retrieve, strategy DENSE_FIRST',
  async prepare(conversation, { engine }) {
    return engine.ranker(conversation, await engine.plan());
  },
};
