// Where encodings are kept between runs, and what finds a text in them.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Encoder, TextRole } from '../../src/contract/encoder.js';

/** `ONTOMEM_CACHE`, or `.cache` of the project. */
export const CACHE_FOLDER =
  process.env.ONTOMEM_CACHE || fileURLToPath(new URL('../../../.cache', import.meta.url));

/** Bytes of a text's key: the first half of its SHA-256. */
export const KEY_BYTES = 16;
/** How long a record that is not whole is waited for: a batch is one write of a few megabytes at most. */
export const WRITE_PATIENCE_MS = 200;

/** The file of one encoder's identity. */
export function cacheFile(encoder: Encoder, folder: string, ending: string): string {
  const identity = createHash('sha256').update(JSON.stringify(encoder.identity)).digest('hex').slice(0, 16);
  return join(folder, 'encodings', `${encoder.identity.name.replace(/\W+/g, '-')}-${identity}.${ending}`);
}

export function keyOf(text: string, role: TextRole): string {
  return createHash('sha256').update(`${role}\u0000${text}`).digest().toString('latin1', 0, KEY_BYTES);
}
