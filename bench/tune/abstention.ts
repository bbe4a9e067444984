// When a query bears on nothing: how much nearer to nonsense than to any turn it must be.
import { EncoderScale } from '../../src/retrieve/encoder-scale.js';
import { TUNED_ABSTENTION } from '../../src/retrieve/tuned.js';
import { innerProducts, rowOf } from '../quality/arms/scoring.js';
import { gibberish, MEANT } from './nonsense.js';
import type { Tunable } from './tunable.js';

/**
 * The share of gibberish that is stopped and of requests that are let through, weighted by how often either is asked.
 * Words in common are left aside: in the product a query that shares one with memory is never stopped.
 */
export const ABSTENTION: Tunable<typeof TUNED_ABSTENTION> = {
  name: 'abstention',
  start: { nonsenseMargin: 0 },
  committed: TUNED_ABSTENTION,
  grid: { nonsenseMargin: [-0.1, -0.05, 0, 0.05, 0.1] },
  place: { file: 'src/retrieve/tuned.ts', block: 'TUNED_ABSTENTION' },
  async measure({ ground, services }) {
    const scale = await EncoderScale.measure(services.encoder);
    const { dimension } = services.encoder.identity;
    const texts = gibberish();
    const vectors = await services.encodeCached(texts, 'query');
    /** By how much a query is nearer to nonsense than to any turn of the conversation. */
    const nearer = (query: Float32Array, turns: Float32Array) =>
      scale.nearestNonsense(query) - Math.max(...innerProducts(turns, query));
    const meant = ground.dialogues.flatMap(({ conversation, queries }) =>
      queries.map(({ vector }) => nearer(vector, conversation.vectors)),
    );
    const meaningless = texts.map((_, row) => {
      const dialogue = ground.dialogues[row % ground.dialogues.length]?.conversation;
      return nearer(rowOf(vectors, row, dimension), dialogue?.vectors ?? new Float32Array());
    });
    const share = (values: readonly number[], margin: number) =>
      values.filter((value) => value > margin).length / values.length;
    return ({ nonsenseMargin }) =>
      MEANT * (1 - share(meant, nonsenseMargin)) + (1 - MEANT) * share(meaningless, nonsenseMargin);
  },
};
