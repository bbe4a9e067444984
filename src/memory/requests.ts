// The requests that the Memory face answers itself, and how it is opened, read while the call is made.
import { resolve } from 'node:path';
import { z } from 'zod';
import { check, checkMoment } from '../contract/check.js';
import type { Encoder } from '../contract/encoder.js';
import { type Limits, limitsOf } from '../contract/limits.js';
import type { VectorFormat } from '../contract/memory.js';
import { labelSchema, momentSchema, scopeSchema } from '../contract/schemas.js';
import type { Scope } from '../contract/scope.js';

export interface Opening {
  path: string;
  encoder: string | Encoder | undefined;
  limits: Limits;
  readOnly: boolean;
  reencode: boolean;
  format: VectorFormat;
}

/** No file system takes a longer path. */
const MAX_PATH = 4096;

const limit = z.int().positive().optional();
const openSchema = z.strictObject({
  path: z
    .string()
    .min(1)
    .max(MAX_PATH)
    .refine((path) => !path.includes('\0'), 'has a zero byte'),
  encoder: z
    .union([
      z.string().min(1).max(MAX_PATH),
      z.custom<Encoder>(
        (value) => typeof value === 'object' && value !== null && 'encode' in value,
        'is neither a name, nor a folder, nor an encoder',
      ),
    ])
    .exactOptional(),
  limits: z.strictObject({ textBytes: limit, metaBytes: limit, residentBytes: limit }).optional(),
  readOnly: z.boolean().exactOptional(),
  reencode: z.boolean().exactOptional(),
  format: z.enum(['f32', 'bf16', 'int8']).exactOptional(),
});

export function readOpen(options: unknown): Opening {
  const {
    path,
    encoder,
    limits,
    readOnly = false,
    reencode = false,
    format = 'f32',
  } = check(openSchema, options, 'openMemory');
  // At once: a relative path would name another store when the process changes its folder.
  return { path: resolve(path), encoder, limits: limitsOf(limits), readOnly, reencode, format };
}

export interface Listing {
  scope: Scope;
  session: string | undefined;
  span: { from?: number; to?: number };
}

const turnsSchema = z.strictObject({
  scope: scopeSchema,
  session: labelSchema.exactOptional(),
  from: momentSchema.exactOptional(),
  to: momentSchema.exactOptional(),
});

export function readTurns(request: unknown): Listing {
  const { scope, session, from, to } = check(turnsSchema, request, 'turns');
  const span = {
    ...(from === undefined ? {} : { from: checkMoment(from, 'turns.from') }),
    ...(to === undefined ? {} : { to: checkMoment(to, 'turns.to') }),
  };
  return { scope, session, span };
}

const statsSchema = z.strictObject({ scope: scopeSchema.exactOptional() });

/** The scope asked about; undefined for the whole store. */
export function readStats(request: unknown): Scope | undefined {
  return check(statsSchema, request, 'stats').scope;
}
