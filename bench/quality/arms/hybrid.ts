// The two usual hybrids of dense and lexical search: by rank and by standardised score.
import type { Arm } from '../arm.js';
import { Candidates } from './candidates.js';
import { weightedSum } from './scoring.js';

/** The constant of the original paper; every library kept it. */
const RANK_OFFSET = 60;
/**
 * Share of the dense view in the mix: the usual .7, best on LoCoMo with MiniLM among weights tried there. On IPR dev
 * .9 is better (.597 to .580, the mean of R@10 and nDCG@10), since implicit queries share no word with their answer.
 */
const DENSE_SHARE = 0.7;

export const rankFusion: Arm = {
  name: 'rrf',
  source: 'Reciprocal rank fusion: Cormack, Clarke and Buettcher, SIGIR 2009, k = 60',
  prepare(conversation) {
    const candidates = new Candidates(conversation);
    return (query) => {
      const { dense, lexical, visible } = candidates.views(query);
      const lists = [candidates.ordered(dense, visible), candidates.ordered(lexical, visible)];
      return candidates.ranking(fuseRanks(lists, conversation.turns.length), visible);
    };
  },
};

export const scoreMix: Arm = {
  name: 'mix',
  source: 'Convex combination of standardised scores: Bruch, Gai and Ingber, TOIS 2023',
  prepare(conversation) {
    const candidates = new Candidates(conversation);
    return (query) => {
      const { dense, lexical, visible } = candidates.views(query);
      const mixed = weightedSum([DENSE_SHARE, dense], [1 - DENSE_SHARE, lexical]);
      return candidates.ranking(mixed, visible);
    };
  },
};

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
