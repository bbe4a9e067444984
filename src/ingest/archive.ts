// The archive format: a scope as a stream of records with a header and a closing sum over all of them.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { ArchiveRecord } from '../contract/archive.js';
import { encoderIdentitySchema, labelSchema, metaSchema, scopeSchema } from '../contract/schemas.js';

export const ARCHIVE_VERSION = 1;

export const headerSchema = z.strictObject({
  kind: z.literal('header'),
  format: z.literal('ontomem-archive'),
  version: z.literal(ARCHIVE_VERSION),
  scope: scopeSchema,
  encoder: encoderIdentitySchema,
});
export const turnSchema = z.strictObject({
  kind: z.literal('turn'),
  id: labelSchema,
  session: labelSchema,
  speaker: labelSchema,
  text: z.string(),
  at: z.int(),
  dateSource: z.enum(['given', 'ingest']),
  caption: z.string().exactOptional(),
  meta: metaSchema.exactOptional(),
  vector: z.base64(),
});
export const footerSchema = z.strictObject({ kind: z.literal('footer'), turns: z.int(), sha256: z.string() });

export type ArchiveHeader = z.infer<typeof headerSchema>;
export type ArchiveTurn = z.infer<typeof turnSchema>;

/** The sum that closes an archive: over its header and its turns, in order, each in one canonical form. */
export class ArchiveSum {
  readonly #hash = createHash('sha256');
  turns = 0;

  add(record: ArchiveHeader | ArchiveTurn | ArchiveRecord): void {
    this.#hash.update(canonical(record));
    if (record.kind === 'turn') this.turns++;
  }

  footer(): ArchiveRecord & { kind: 'footer' } {
    return { kind: 'footer', turns: this.turns, sha256: this.#hash.digest('hex') };
  }
}

/** The same text for the same record whatever order its fields came in. */
function canonical(record: object): string {
  return JSON.stringify(record, (_key, value: unknown) =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : value,
  );
}

/** Vectors travel as base64 of little-endian float32. */
export function toBase64(vector: Float32Array): string {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64');
}

export function fromBase64(text: string): Float32Array {
  const bytes = Buffer.from(text, 'base64');
  return new Float32Array(new Uint8Array(bytes).buffer, 0, Math.floor(bytes.length / 4));
}
