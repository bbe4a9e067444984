// Metadata of a turn: JSON of the caller's, kept as it is.
import { OntomemError, reasonOf } from '../errors.js';
import { checkText } from './check.js';
import type { Meta } from './turn.js';

/** Objects and arrays inside one another: nobody nests deeper by hand, and every reader of JSON gets there. */
export const MAX_META_DEPTH = 100;

/**
 * What `JSON.stringify` makes of `meta`, read back: a copy that shares nothing with it.
 * @throws INVALID_ARGUMENT for what is no JSON object, nests deeper than MAX_META_DEPTH or has a key
 * `__proto__` (which most code that copies objects would lose), TEXT_TOO_LONG, TEXT_INVALID.
 */
export function checkMeta(meta: unknown, input: string, limitBytes: number): Meta {
  const refuse = (problem: string, cause?: unknown) =>
    new OntomemError('INVALID_ARGUMENT', { input, problem, cause });
  let json: string | undefined;
  try {
    json = JSON.stringify(meta);
  } catch (cause) {
    throw refuse(`is not JSON (${reasonOf(cause).slice(0, 200)})`, cause);
  }
  const kept: unknown = json === undefined ? undefined : JSON.parse(checkText(json, input, limitBytes));
  if (!isObject(kept)) throw refuse('is no object once it is JSON');
  const problem = problemOf(kept, 1);
  if (problem !== undefined) throw refuse(problem);
  return kept;
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

function problemOf(value: unknown, depth: number): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth > MAX_META_DEPTH) return `nests deeper than ${MAX_META_DEPTH}`;
  if (Object.hasOwn(value, '__proto__')) return 'has a key "__proto__"';
  for (const inner of Object.values(value)) {
    const problem = problemOf(inner, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function isObject(value: unknown): value is Meta {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
