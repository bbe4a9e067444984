// ontomem's dense-first recall as it is served: dense and lexical arms and the session's structure, fused.

import type { Encoder } from '../../../src/contract/encoder.js';
import { EncoderScale } from '../../../src/retrieve/encoder-scale.js';
import { denseFirst, type Strategy } from '../../../src/retrieve/strategy.js';
import type { Arm } from '../arm.js';
import { askEngine, engineShard } from '../engine-shard.js';

/** Deep enough for every metric, and what a first stage hands to a second. */
const LIMIT = 64;

const strategies = new WeakMap<Encoder, Promise<Strategy>>();

/** Measured once an encoder. */
export function strategyFor(encoder: Encoder): Promise<Strategy> {
  const known = strategies.get(encoder) ?? EncoderScale.measure(encoder).then(denseFirst);
  strategies.set(encoder, known);
  return known;
}

export const fused: Arm = {
  name: 'fused',
  source: 'ontomem: src/retrieve, strategy DENSE_FIRST',
  async prepare(conversation, { encoder }) {
    const handle = engineShard(conversation);
    const strategy = await strategyFor(encoder);
    return (query) => {
      const answer = askEngine(handle, query, strategy, { limit: LIMIT });
      return {
        ids: answer.hits.flatMap(({ row }) => conversation.turns[row]?.id ?? []),
        cost: { candidatesScored: answer.stat('visible') },
      };
    };
  },
};
