// Counts and bytes of a store, for people and dashboards.
import type { EncoderIdentity } from '../contract/encoder.js';
import type { Stats } from '../contract/memory.js';
import type { Scope } from '../contract/scope.js';
import type { Environment } from './environment.js';
import type { Residency } from './residency.js';
import { SCHEMA_VERSION } from './schema.js';
import type { TurnReader } from './turns/turn-reader.js';

/** O(scopes) for the store, O(log turns) for the time span of one scope. */
export function stats(
  environment: Environment,
  log: TurnReader,
  residency: Residency,
  encoder: EncoderIdentity,
  scope?: Scope,
): Stats {
  const found = scope && log.scope(scope);
  const records = scope === undefined ? [...log.scopes()] : found === undefined ? [] : [found];
  const total = { scopes: records.length, turns: 0, sessions: 0, speakers: 0 };
  for (const record of records) {
    total.turns += record.turns;
    total.sessions += log.sessionCount(record.id);
    total.speakers += log.speakerCount(record.id);
  }
  const span = found && log.span(found.id);
  return {
    ...total,
    ...(span === undefined ? {} : { span }),
    bytesOnDisk: environment.bytesOnDisk(),
    residentBytes: residency.bytes(scope),
    schemaVersion: SCHEMA_VERSION,
    encoder,
  };
}
