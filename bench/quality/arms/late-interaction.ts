// Dense search reranked by late interaction: every query token finds its best token in each candidate.
import type { Encoder } from '../../../src/contract/encoder.js';
import type { Arm } from '../arm.js';
import { queryText } from '../prepare.js';
import { Candidates } from './candidates.js';
import { standardised, weightedSum } from './scoring.js';
import { maxSim, TokenStateStore } from './token-states.js';

export interface LateInteractionSettings {
  /** Candidates reranked: the first by cosine. */
  depth: number;
  /** Weight of MaxSim against 1 - weight for the cosine, both standardised over the candidates. */
  weight: number;
}

/** Weight: the best of a grid on IPR dev. */
const SETTINGS: LateInteractionSettings = { depth: 100, weight: 0.5 };

const stores = new WeakMap<Encoder, TokenStateStore>();

/**
 * The encoder's own, untrained token states stand where ColBERT trains its own (Khattab and Zaharia, SIGIR 2020).
 * Cost: depth x query tokens x passage tokens inner products. Memory beside the vectors: about 30 tokens x
 * (dimension + 4) bytes a turn in int8, eight times the turn's float32 vector.
 */
export function lateInteractionArm(settings: LateInteractionSettings = SETTINGS): Arm {
  return {
    name: 'late interaction',
    source: 'Dense, then MaxSim over token states (ColBERT: Khattab and Zaharia, SIGIR 2020)',
    async prepare(conversation, { encoder }) {
      const candidates = new Candidates(conversation);
      const { dimension } = conversation;
      const store = storeOf(encoder);
      const states = await store.passages(conversation.passages);
      return async (query) => {
        const dense = candidates.dense(query.vector);
        const ordered = candidates.ordered(dense, candidates.visible(query));
        const first = ordered.slice(0, settings.depth);
        const tokens = await store.query(queryText(query));
        const late = new Float32Array(dense.length);
        let compared = 0;
        for (const position of first) {
          const passage = states[position];
          if (passage === undefined) continue;
          late[position] = maxSim(tokens, passage, dimension);
          compared += (tokens.length / dimension) * passage.scales.length;
        }
        const scores = weightedSum(
          [1 - settings.weight, standardised(dense, first)],
          [settings.weight, standardised(late, first)],
        );
        return candidates.reranked(scores, first, ordered, { candidatesScored: dense.length + compared });
      };
    },
  };
}

export const lateInteraction = lateInteractionArm();

function storeOf(encoder: Encoder): TokenStateStore {
  const store = stores.get(encoder) ?? new TokenStateStore(encoder);
  stores.set(encoder, store);
  return store;
}
