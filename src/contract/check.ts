// Turns unknown input into typed values once, at the border, with an error that names the input.
import type { ZodType, z } from 'zod';
import { type ErrorCode, OntomemError, reasonOf } from '../errors.js';

/** An error quotes this much of what zod says: keys and values come from the caller. */
const MAX_PROBLEM_CHARACTERS = 300;

/**
 * Parses `value` by `schema`; the error names the first offending field as `input.path`. What comes back
 * shares no object or array with `value`, so that the caller may change its own.
 */
export function check<T>(schema: ZodType<T>, value: unknown, input: string): T {
  // Zod words its issues when they are asked for, and looks at the value again.
  const parsed = read(() => {
    const result = schema.safeParse(value);
    return result.success ? { data: result.data } : { issue: result.error.issues[0] };
  }, input);
  if ('data' in parsed) return parsed.data;
  const { issue } = parsed;
  const path = (issue?.path ?? [])
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('');
  throw new OntomemError(codeOf(path, input), {
    input: shortened(`${input}${path}`),
    ...(issue !== undefined && isUndefinedKey(value, issue)
      ? { problem: 'is undefined', cure: 'leave the key out, or give it a value' }
      : { problem: shortened(issue?.message ?? 'is not valid') }),
  });
}

/** Reads from what a caller handed over; a getter or proxy that throws is an INVALID_ARGUMENT. */
export function read<T>(action: () => T, input: string): T {
  try {
    return action();
  } catch (cause) {
    if (cause instanceof OntomemError) throw cause;
    throw new OntomemError('INVALID_ARGUMENT', {
      input,
      problem: `cannot be read (${shortened(reasonOf(cause))})`,
      cause,
    });
  }
}

function codeOf(path: string, input: string): ErrorCode {
  return path.startsWith('.scope') || input === 'scope' || input.endsWith('.scope')
    ? 'SCOPE_INVALID'
    : 'INVALID_ARGUMENT';
}

/** A key that is there with undefined behind it: the caller meant something, and it got lost on the way. */
function isUndefinedKey(value: unknown, issue: z.core.$ZodIssue): boolean {
  if (issue.path.length === 0) return false;
  try {
    let at = value;
    for (const key of issue.path.slice(0, -1)) at = (at as Record<PropertyKey, unknown>)[key];
    const key = issue.path.at(-1) as PropertyKey;
    return (
      typeof at === 'object' &&
      at !== null &&
      key in at &&
      (at as typeof at & Record<PropertyKey, unknown>)[key] === undefined
    );
  } catch {
    return false;
  }
}

function shortened(text: string): string {
  return text.length <= MAX_PROBLEM_CHARACTERS ? text : `${text.slice(0, MAX_PROBLEM_CHARACTERS)}…`;
}

/** The latest moment JavaScript can name; anything beyond is no date. */
const LATEST_MS = 8_640_000_000_000_000;

/** A Date, ISO 8601 text or epoch milliseconds -> whole epoch milliseconds. */
export function checkMoment(value: Date | string | number, input: string): number {
  // Of Date itself: a subclass may say anything.
  const ms =
    typeof value === 'number'
      ? value
      : typeof value === 'string'
        ? parseIso(value)
        : Date.prototype.getTime.call(value);
  if (Number.isFinite(ms) && Math.abs(ms) <= LATEST_MS) return Math.trunc(ms);
  const said = typeof value === 'object' ? 'an invalid Date' : JSON.stringify(value);
  throw new OntomemError('DATE_INVALID', { input, problem: `${shortened(said)} is not a date` });
}

/** Text is well-formed UTF-16 and within `limitBytes` of UTF-8. */
export function checkText(text: string, input: string, limitBytes: number): string {
  const bytes = Buffer.byteLength(text);
  if (bytes > limitBytes) {
    throw new OntomemError('TEXT_TOO_LONG', {
      input,
      problem: `has ${bytes} bytes, the limit is ${limitBytes}`,
    });
  }
  if (!text.isWellFormed()) {
    const at = [...text].findIndex((character) => !character.isWellFormed());
    throw new OntomemError('TEXT_INVALID', { input, problem: `has a lone surrogate at character ${at}` });
  }
  return text;
}

const ISO_8601 =
  /^(?<year>[+-]\d{6}|\d{4})-(?<month>\d{2})-(?<day>\d{2})(?:[T ](?<time>\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(?<zone>Z|[+-]\d{2}:?\d{2})?)?$/;

/** Only ISO 8601, UTC where it names no zone: Date.parse alone would read 'foo 1' as a date. */
function parseIso(text: string): number {
  const { year, month, day, time = '00:00', zone = 'Z' } = ISO_8601.exec(text.trim())?.groups ?? {};
  if (year === undefined) return Number.NaN;
  const midnight = new Date(`${year}-${month}-${day}T00:00Z`);
  // Date.parse rolls 30 February over into March: refuse it instead.
  if (midnight.getUTCDate() !== Number(day)) return Number.NaN;
  return Date.parse(`${year}-${month}-${day}T${time}${zone}`);
}
