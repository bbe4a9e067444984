// Turns unknown input into typed values once, at the border, with an error that names the input.
import type { ZodType } from 'zod';
import { type ErrorCode, OntomemError } from '../errors.js';

/** Parses `value` by `schema`; the error names the first offending field as `input.path`. */
export function check<T>(schema: ZodType<T>, value: unknown, input: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const path =
    issue?.path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('') ?? '';
  const code: ErrorCode =
    path.startsWith('.scope') || input === 'scope' ? 'SCOPE_INVALID' : 'INVALID_ARGUMENT';
  throw new OntomemError(code, { input: `${input}${path}`, problem: issue?.message ?? 'is not valid' });
}

/** The latest moment JavaScript can name; anything beyond is no date. */
const LATEST_MS = 8_640_000_000_000_000;

/** A Date, ISO 8601 text or epoch milliseconds -> whole epoch milliseconds. */
export function checkMoment(value: Date | string | number, input: string): number {
  const ms = typeof value === 'number' ? value : value instanceof Date ? value.getTime() : parseIso(value);
  if (Number.isFinite(ms) && Math.abs(ms) <= LATEST_MS) return Math.trunc(ms);
  throw new OntomemError('DATE_INVALID', { input, problem: `${JSON.stringify(value)} is not a date` });
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

const ISO_8601 = /^[+-]?\d{4,6}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

/** Only ISO 8601 is accepted: Date.parse alone would read 'foo 1' as a date. */
function parseIso(text: string): number {
  const trimmed = text.trim();
  if (!ISO_8601.test(trimmed)) return Number.NaN;
  const zoned = /(?:Z|[+-]\d{2}:?\d{2})$/.test(trimmed) || !/\d{2}:\d{2}/.test(trimmed);
  const ms = Date.parse(zoned ? trimmed : `${trimmed.replace(' ', 'T')}Z`);
  const day = Number(/-(\d{2})(?:$|[T ])/.exec(trimmed)?.[1]);
  // Date.parse rolls 30 February over into March: refuse it instead.
  return zoned && trimmed.length > 10 ? ms : new Date(ms).getUTCDate() === day ? ms : Number.NaN;
}
