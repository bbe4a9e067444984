// The two usual hybrids of dense and lexical search: by rank and by standardised score.
import type { Arm } from '../arm.js';
import { TUNED_BASELINES } from '../tuned.js';
import { Candidates } from './candidates.js';
import { termCounts } from './lexicon.js';
import { weightedSum } from './scoring.js';

/** The constant of the original paper; every library kept it. */
const RANK_OFFSET = 60;

export interface MixSettings {
  /** Share of the dense view against BM25. */
  denseShare: number;
}

export const rankFusion: Arm = {
  name: 'rrf',
  source: 'Reciprocal rank fusion: Cormack, Clarke and Buettcher, SIGIR 2009, k = 60',
  prepare(conversation) {
    const candidates = new Candidates(conversation);
    return (query) => {
      const { dense, lexical, visible } = candidates.views(query);
      // A turn that shares no term with the query has no rank in the lexical list, and gets nothing for it.
      const raw = candidates.lexical(termCounts(query.terms));
      const matching = visible.filter((position) => (raw[position] ?? 0) > 0);
      const lists = [candidates.ordered(dense, visible), candidates.ordered(lexical, matching)];
      const fused = fuseRanks(lists, conversation.turns.length);
      return candidates.ranking(fused, visible, { bytesAtRest: candidates.bothBytes });
    };
  },
};

export function mixArm({ denseShare }: MixSettings = TUNED_BASELINES.mix): Arm {
  return {
    name: 'mix',
    source: 'Convex combination of standardised scores: Bruch, Gai and Ingber, TOIS 2023',
    prepare(conversation) {
      const candidates = new Candidates(conversation);
      return (query) => {
        const { dense, lexical, visible } = candidates.views(query);
        const mixed = weightedSum([denseShare, dense], [1 - denseShare, lexical]);
        return candidates.ranking(mixed, visible, { bytesAtRest: candidates.bothBytes });
      };
    },
  };
}

export const scoreMix = mixArm();

/** Sum over the lists of 1 / (60 + rank), rank from 1, for each of `count` positions. O(sum of lengths). */
export function fuseRanks(lists: ReadonlyArray<readonly number[]>, count: number): Float32Array {
  const scores = new Float32Array(count);
  for (const list of lists) {
    for (const [place, position] of list.entries()) {
      scores[position] = (scores[position] ?? 0) + 1 / (RANK_OFFSET + place + 1);
    }
  }
  return scores;
}
