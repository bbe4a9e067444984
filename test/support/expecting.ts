// What many tests wait for: a typed error, a whole iterable.
import * as assert from 'uvu/assert';
import { type ErrorCode, OntomemError } from '../../src/errors.js';

/** Runs `action`, which must fail with this code, and returns the error for a closer look. */
export async function failure(code: ErrorCode, action: () => unknown): Promise<OntomemError> {
  let thrown: unknown;
  try {
    await action();
  } catch (error) {
    thrown = error;
  }
  if (!(thrown instanceof OntomemError)) {
    throw new Error(
      `expected ${code}, got ${thrown instanceof Error ? thrown.stack : String(thrown ?? 'no error')}`,
    );
  }
  assert.is(thrown.code, code, thrown.message);
  return thrown;
}

export async function all<T>(items: AsyncIterable<T> | Iterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** `values[0]` and the like where a test knows that it is there. */
export function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('expected a value, got undefined');
  return value;
}
