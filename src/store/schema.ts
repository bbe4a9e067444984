// The version of what is on disk, and the steps that bring an older store to it.
import { OntomemError } from '../errors.js';
import type { Environment } from './environment.js';

/** Raise it with every change of meaning in store.proto or keys.ts, and add the step that gets there. */
export const SCHEMA_VERSION = 1;

/** `migrations[v]` turns a store of version v into one of version v + 1, in one transaction. */
export type Migrations = Readonly<Record<number, (environment: Environment) => Promise<void>>>;

const migrations: Migrations = {};

/**
 * Brings a store to the current version: stamps a new one, steps an older one up, refuses a newer one.
 * @throws STORE_NEWER naming both versions; the file is not touched.
 */
export async function migrate(
  environment: Environment,
  steps: Migrations = migrations,
  target: number = SCHEMA_VERSION,
): Promise<void> {
  const found = environment.schemaVersion();
  if (found === undefined) {
    if (!environment.readOnly) await environment.writeSchemaVersion(target);
    return;
  }
  if (found > target) {
    throw new OntomemError('STORE_NEWER', {
      input: environment.path,
      problem: `has schema version ${found}, this ontomem knows ${target}`,
    });
  }
  for (let version = found; version < target; version++) {
    const step = steps[version];
    if (step === undefined) {
      throw new OntomemError('STORE_CORRUPT', {
        input: environment.path,
        problem: `has schema version ${version}, from which no step leads on`,
      });
    }
    await step(environment);
    await environment.writeSchemaVersion(version + 1);
  }
}
