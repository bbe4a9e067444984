// Pools token states into unit vectors outside the graph, for models that do not pool themselves.

import type { Pooling } from '../../contract/encoder.js';

/**
 * One unit vector a row from states [rows, sequenceLength, dimension]: the mean over the row's first `lengths`
 * tokens, or its first token. O(states). A row of zeros stays zero.
 */
export function poolStates(
  states: Float32Array,
  lengths: readonly number[],
  sequenceLength: number,
  dimension: number,
  pooling: Pooling,
): Float32Array {
  const vectors = new Float32Array(lengths.length * dimension);
  for (const [row, length] of lengths.entries()) {
    const vector = vectors.subarray(row * dimension, (row + 1) * dimension);
    const pooledTokens = pooling === 'mean' ? length : 1;
    // The mean's division is left out: normalising takes any scale away.
    for (let token = 0; token < pooledTokens; token++) {
      const at = (row * sequenceLength + token) * dimension;
      for (let i = 0; i < dimension; i++) vector[i] = (vector[i] as number) + (states[at + i] as number);
    }
    normalise(vector);
  }
  return vectors;
}

function normalise(vector: Float32Array): void {
  let squares = 0;
  for (const value of vector) squares += value * value;
  const norm = Math.sqrt(squares);
  if (norm > 0) for (let i = 0; i < vector.length; i++) vector[i] = (vector[i] as number) / norm;
}
