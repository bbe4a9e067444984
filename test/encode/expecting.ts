// What several encoder tests check with.

import * as assert from 'uvu/assert';
import { type ErrorCode, OntomemError } from '../../src/errors.js';

/** Runs `action`, which must throw an OntomemError of this code whose message holds `words`. */
export async function expectError(
  code: ErrorCode,
  words: string,
  action: () => Promise<unknown>,
): Promise<void> {
  let thrown: unknown;
  try {
    await action();
  } catch (error) {
    thrown = error;
  }
  if (!(thrown instanceof OntomemError)) throw new Error(`expected ${code}, got ${thrown}`);
  assert.is(thrown.code, code);
  assert.ok(thrown.message.includes(words), `"${thrown.message}" does not say "${words}"`);
}

/** The i-th row of a row-major matrix. */
export function rowOf(vectors: Float32Array, dimension: number, i: number): Float32Array {
  return vectors.subarray(i * dimension, (i + 1) * dimension);
}

export function cosine(a: Float32Array, b: Float32Array): number {
  return a.reduce((total, x, i) => total + x * (b[i] ?? 0), 0);
}

/** The largest difference between two lists of one length. */
export function furthest(actual: ArrayLike<number>, expected: ArrayLike<number>): number {
  assert.is(actual.length, expected.length);
  let most = 0;
  for (let i = 0; i < actual.length; i++) {
    const difference = Math.abs((actual[i] ?? Number.NaN) - (expected[i] ?? Number.NaN));
    if (Number.isNaN(difference)) return Number.NaN;
    most = Math.max(most, difference);
  }
  return most;
}
