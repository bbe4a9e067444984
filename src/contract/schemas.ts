// The shapes that several requests share, as zod checks them. Types stand apart from them: what a user's
// compiler reads must not reach a dependency's types. A key that is present and undefined is refused
// everywhere: it is a mistake of the caller's that would else be taken for 'not named'.
import { types } from 'node:util';
import { z } from 'zod';
import type { TurnInput } from './turn.js';

function utf8AtMost(limitBytes: number, value: string): boolean {
  return Buffer.byteLength(value) <= limitBytes;
}

const name = z
  .string()
  .min(1)
  .refine((value) => value.isWellFormed(), 'has a lone surrogate')
  .refine((value) => utf8AtMost(512, value), 'is longer than 512 bytes');

export const scopeSchema = z.strictObject({ tenant: name, user: name });

/** Session names, speaker names and turn ids: non-empty, well-formed, at most 256 bytes of UTF-8. */
export const labelSchema = z
  .string()
  .min(1)
  .refine((value) => value.isWellFormed(), 'has a lone surrogate')
  .refine((value) => utf8AtMost(256, value), 'is longer than 256 bytes');

/** What protobuf keeps as it is. */
const wellFormed = z
  .string()
  .max(4096)
  .refine((value) => value.isWellFormed(), 'has a lone surrogate');

/** Dimensions beyond this are a mistake: the largest encoders in use have 4,096 to 12,288. */
const MAX_DIMENSION = 65_536;

export const encoderIdentitySchema = z.strictObject({
  name: wellFormed.min(1),
  sha256: wellFormed.min(1),
  configSha256: wellFormed,
  dimension: z.int().positive().max(MAX_DIMENSION),
  pooling: z.enum(['mean', 'cls']),
  queryPrefix: wellFormed,
  passagePrefix: wellFormed,
  maxTokens: z
    .int()
    .positive()
    .max(2 ** 31),
  precision: wellFormed.min(1),
});

/** A moment as callers give it; `checkMoment` says whether it is one. Dates are told across realms too. */
export const momentSchema = z.union([
  z.custom<Date>((value) => types.isDate(value), 'is no date'),
  z.string(),
  z.number(),
]);

/** An AbortSignal that answers; a proxy of one does not. */
export const signalSchema = z.custom<AbortSignal>(
  (value) => value instanceof AbortSignal && typeof value.aborted === 'boolean',
  'is no AbortSignal',
);

/** Metadata; `checkMeta` holds it to JSON. Handed on as it is: zod's own record would drop `__proto__`. */
export const metaSchema = z.custom<Record<string, unknown>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'is no object',
);

export const turnInputSchema: z.ZodObject<{ [Key in keyof Required<TurnInput>]: z.ZodType }, z.core.$strict> =
  z.strictObject({
    id: labelSchema.exactOptional(),
    speaker: labelSchema,
    text: z.string(),
    at: momentSchema.exactOptional(),
    caption: z.string().exactOptional(),
    meta: metaSchema.exactOptional(),
  });
