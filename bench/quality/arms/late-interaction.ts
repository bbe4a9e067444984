// Dense search reranked by late interaction: every query token finds its best token in each candidate.
import type { Arm } from '../arm.js';
import { Candidates } from './candidates.js';
import { TokenIndex } from './token-index.js';

/** Candidates reranked: the first by cosine. */
const DEPTH = 100;

/** The index of the conversation under measurement; the one before it is closed when the next is made. */
let current: TokenIndex | undefined;
/** Query and passage -> MaxSim: deals of one person ask the same of the same turns; the first one is timed. */
const scored = new Map<string, Map<string, number>>();

/**
 * The encoder's own, untrained token states stand where ColBERT trains its own (Khattab and Zaharia, SIGIR 2020).
 * Candidates rank by MaxSim alone. Cost: depth x query tokens x passage tokens inner products. Memory beside the
 * vectors: about 30 tokens x (dimension + 4) bytes a turn in int8, eight times the turn's float32 vector.
 */
export function lateInteractionArm(depth: number = DEPTH): Arm {
  return {
    name: 'late interaction',
    source: 'Dense, then MaxSim over token states (ColBERT: Khattab and Zaharia, SIGIR 2020)',
    async prepare(conversation, { passageStates, queryStates }) {
      const candidates = new Candidates(conversation);
      const { dimension, passages } = conversation;
      current?.close();
      const index = new TokenIndex(await passageStates(passages), dimension);
      current = index;
      return async (query) => {
        const text = query.words;
        const dense = candidates.dense(query.vector);
        const ordered = candidates.ordered(dense, candidates.visible(query));
        const first = ordered.slice(0, depth);
        const tokens = await queryStates(text);
        const known = scored.get(text) ?? new Map<string, number>();
        scored.set(text, known);
        const late = new Float32Array(dense.length);
        let compared = 0;
        for (const position of first) {
          const passage = passages[position] ?? '';
          const similarity = known.get(passage) ?? index.maxSim(tokens, position);
          known.set(passage, similarity);
          late[position] = similarity;
          compared += (tokens.length / dimension) * index.tokens(position);
        }
        return candidates.reranked(late, first, ordered, { candidatesScored: dense.length + compared });
      };
    },
  };
}

export const lateInteraction = lateInteractionArm();
