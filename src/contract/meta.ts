// Metadata of a turn: JSON of the caller's, kept as it is.
import { types } from 'node:util';
import { OntomemError } from '../errors.js';
import { checkText, read } from './check.js';
import type { Meta } from './turn.js';

/** Objects and arrays inside one another: nobody nests deeper by hand, and every reader of JSON gets there. */
export const MAX_META_DEPTH = 100;

/**
 * A copy of `meta` that shares nothing with it. Only what JSON keeps is taken: plain objects, arrays, text,
 * finite numbers, booleans and null; a Map would come back as {}, NaN as null. `toJSON` is not called.
 * @throws INVALID_ARGUMENT naming the key of anything else, of what nests deeper than MAX_META_DEPTH and of a
 * key `__proto__` (which most code that copies objects would lose), TEXT_TOO_LONG, TEXT_INVALID.
 */
export function checkMeta(meta: unknown, input: string, limitBytes: number): Meta {
  // Every value takes a byte of JSON: what refers to itself many times over ends here and not in memory.
  const left = { values: limitBytes };
  const kept = read(() => copyOf(meta, { input, at: input, depth: 1, left }), input);
  if (!isObject(kept)) throw refusal(input, 'is no object');
  return JSON.parse(checkText(JSON.stringify(kept), input, limitBytes)) as Meta;
}

/** RFC 7396: named fields are replaced, null removes a field, others stay. */
export function mergePatch(target: Meta, patch: Meta): Meta {
  const merged = { ...target };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else if (isObject(value)) merged[key] = mergePatch(isObject(merged[key]) ? merged[key] : {}, value);
    else merged[key] = value;
  }
  return merged;
}

/** Where a copy stands. */
interface Place {
  /** The metadata as a whole. */
  input: string;
  /** The value, as an error names it. */
  at: string;
  depth: number;
  left: { values: number };
}

function copyOf(value: unknown, place: Place): unknown {
  const { input, at, depth, left } = place;
  if (--left.values < 0) {
    throw new OntomemError('TEXT_TOO_LONG', { input, problem: 'has more values than its limit has bytes' });
  }
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (types.isDate(value)) throw refusal(at, 'is a Date', 'pass it as text, such as its toISOString()');
  if (typeof value !== 'object' || !(Array.isArray(value) || isPlain(value))) {
    throw refusal(at, `is ${nameOf(value)}, which JSON does not keep`);
  }
  if (depth > MAX_META_DEPTH) throw refusal(input, `nests deeper than ${MAX_META_DEPTH}`);
  const inner = (key: string, item: unknown) =>
    copyOf(item, { input, at: `${at}${key}`, depth: depth + 1, left });
  if (Array.isArray(value)) {
    const copy: unknown[] = [];
    for (let n = 0; n < value.length; n++) copy.push(inner(`[${n}]`, value[n]));
    return copy;
  }
  if (Object.getOwnPropertySymbols(value).some((key) => Object.propertyIsEnumerable.call(value, key)))
    throw refusal(at, 'has a symbol for a key, which JSON does not keep');
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    if (key === '__proto__') throw refusal(input, 'has a key "__proto__"');
    copy[key] = inner(`.${key.slice(0, 80)}`, (value as Meta)[key]);
  }
  return copy;
}

/** An object literal, of this realm or another, or one without a prototype. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return true;
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype as object, 'isPrototypeOf');
}

function nameOf(value: unknown): string {
  if (typeof value === 'number' || value === undefined) return String(value);
  if (typeof value !== 'object') return `a ${typeof value}`;
  const { name } = (value as object).constructor;
  return typeof name === 'string' && name !== '' ? `a ${name.slice(0, 40)}` : 'no plain object';
}

function refusal(input: string, problem: string, cure?: string): OntomemError {
  return new OntomemError('INVALID_ARGUMENT', {
    input,
    problem,
    cure: cure ?? 'pass plain objects, arrays, text, finite numbers, booleans and null',
  });
}

function isObject(value: unknown): value is Meta {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
