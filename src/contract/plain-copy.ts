// A copy of what a caller handed over, to be checked later: many values are copied while the call is made and checked
// in slices, and what the caller changes in between changes nothing.
import { types } from 'node:util';

/** Longer arrays, and what nests deeper, are nobody's turn or query: they are checked at once. */
const MOST_ITEMS = 1000;
const MOST_DEPTH = 3;

const NO_COPY = Symbol('no copy');

/**
 * Object literals, arrays and Dates copied, other values as they are; undefined where anything else than these and
 * AbortSignals is in it, such as a proxy or an object of a class, whose reading may have effects. O(what is in it).
 */
export function plainCopy(value: object): object | undefined {
  try {
    const copy = copyOf(value, MOST_DEPTH);
    return copy === NO_COPY ? undefined : (copy as object);
  } catch {
    // A getter that throws: the check says which.
    return undefined;
  }
}

function copyOf(value: unknown, depth: number): unknown {
  if (typeof value === 'function') return NO_COPY;
  if (typeof value !== 'object' || value === null) return value;
  if (types.isProxy(value) || depth === 0) return NO_COPY;
  if (types.isDate(value)) return new Date(Date.prototype.getTime.call(value));
  // Lives on: its owner aborts it when he likes.
  if (value instanceof AbortSignal) return value;
  if (Array.isArray(value)) return value.length > MOST_ITEMS ? NO_COPY : copyOfArray(value, depth - 1);
  return Object.getPrototypeOf(value) === Object.prototype ? copyOfObject(value, depth - 1) : NO_COPY;
}

function copyOfArray(values: readonly unknown[], depth: number): unknown {
  const copy = values.map((value) => copyOf(value, depth));
  return copy.includes(NO_COPY) ? NO_COPY : copy;
}

function copyOfObject(value: object, depth: number): unknown {
  const copy: Record<PropertyKey, unknown> = { ...value };
  for (const key of Reflect.ownKeys(copy)) {
    const item = copyOf(copy[key], depth);
    if (item === NO_COPY) return NO_COPY;
    copy[key] = item;
  }
  return copy;
}
