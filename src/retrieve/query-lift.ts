// Finds the query lift that was trained for an encoder and hands it to the native core.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decodeQueryLift } from '../contract/checkpoint.js';
import { type EncoderIdentity, sameEncoder } from '../contract/encoder.js';
import { loadMaps } from '../native/models.js';

/** dist/src/retrieve -> models/query-lift of the package. */
const SHIPPED = fileURLToPath(new URL('../../../models/query-lift/', import.meta.url));

/**
 * The native handle of the encoder's lift; undefined when none was trained for it, and recall goes
 * without. @throws CHECKPOINT_INVALID for a damaged file.
 */
export function openQueryLift(encoder: EncoderIdentity, folder: string = SHIPPED): number | undefined {
  for (const name of readdirSync(folder)
    .filter((file) => file.endsWith('.pb'))
    .sort()) {
    const file = join(folder, name);
    const lift = decodeQueryLift(readFileSync(file), file);
    if (sameEncoder(lift.encoder, encoder)) {
      return loadMaps(`query-lift/${name}`, lift.map, lift.encoder.dimension);
    }
  }
  return undefined;
}
