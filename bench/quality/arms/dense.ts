// Dense only: the exact inner product of the query and every turn.
import type { Arm } from '../arm.js';
import { rankTurns } from '../ranking.js';

/** Deep enough for every metric, and what a first stage hands to a second. */
const LIMIT = 64;

export const dense: Arm = {
  name: 'dense',
  source: 'flat inner-product index over sentence embeddings (Reimers and Gurevych, 2019)',
  prepare({ turns, vectors, dimension }) {
    return (query) => {
      const scores = new Float32Array(turns.length);
      for (let row = 0; row < scores.length; row++) {
        let product = 0;
        for (let i = 0; i < dimension; i++)
          product += (vectors[row * dimension + i] ?? 0) * (query.vector[i] ?? 0);
        scores[row] = product;
      }
      return { ids: rankTurns(turns, scores, LIMIT), cost: { candidatesScored: turns.length } };
    };
  },
};
