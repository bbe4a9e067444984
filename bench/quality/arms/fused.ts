// ontomem's dense-first recall as it is served: dense and lexical arms and the session's structure, fused.
import { DENSE_FIRST } from '../../../src/retrieve/strategy.js';
import type { Arm } from '../arm.js';
import { askEngine, engineShard } from '../engine-shard.js';

/** Deep enough for every metric, and what a first stage hands to a second. */
const LIMIT = 64;

export const fused: Arm = {
  name: 'fused',
  source: 'ontomem: src/retrieve, strategy DENSE_FIRST',
  prepare(conversation) {
    const handle = engineShard(conversation);
    return (query) => {
      const answer = askEngine(handle, query, DENSE_FIRST, { limit: LIMIT });
      return {
        ids: answer.hits.flatMap(({ row }) => conversation.turns[row]?.id ?? []),
        cost: { candidatesScored: answer.stat('visible') },
      };
    };
  },
};
