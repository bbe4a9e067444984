// The lifted dense view alone: the query carried towards the statement it asks for, then inner products.
import type { RecallPlan } from '../../../src/retrieve/strategy.js';
import type { Arm } from '../arm.js';

export const lifted: Arm = {
  name: 'lifted',
  source: 'ontomem: src/retrieve/query-lift.ts; the plain dense view for encoders without a lift',
  async prepare(conversation, { engine }) {
    return engine.ranker(conversation, liftedOnly(await engine.plan()));
  },
};

/** The plan with the lifted dense view and nothing else. */
export function liftedOnly({ strategy, viewWeights }: RecallPlan): RecallPlan {
  return {
    strategy: { ...strategy, denseWeight: 1, lexicalWeight: 0, previousGain: 0, nextGain: 0 },
    viewWeights: viewWeights.map((_, view) => (view === viewWeights.length - 1 ? 1 : 0)),
  };
}
