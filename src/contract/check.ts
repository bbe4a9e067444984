// Turns unknown input into typed values once, at the border, with an error that names the input.
import { type ZodType, z } from 'zod';
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

/** A moment as callers give it; `checkMoment` says whether it is one. */
export const momentSchema = z.union([z.instanceof(Date), z.string(), z.number()]);

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
