// The version of what is on disk, and the steps that bring an older store to it.
import { OntomemError } from '../errors.js';

/** Raise it with every change of meaning in store.proto or keys.ts, and add the step that gets there. */
export const SCHEMA_VERSION = 1;

/** What a migration sees of a store. */
export interface VersionedStore {
  readonly path: string;
  readonly readOnly: boolean;
  /** undefined in a new store. */
  schemaVersion(): number | undefined;
  writeSchemaVersion(version: number): Promise<void>;
}

/** `migrations[v]` turns a store of version v into one of version v + 1, in one transaction. */
export type Migrations<Store extends VersionedStore> = Readonly<
  Record<number, (store: Store) => Promise<void>>
>;

/**
 * Brings a store to the current version: stamps a new one, steps an older one up, refuses a newer one.
 * @throws STORE_NEWER naming both versions; the file is not touched.
 */
export async function migrate<Store extends VersionedStore>(
  store: Store,
  steps: Migrations<Store>,
  target: number = SCHEMA_VERSION,
): Promise<void> {
  const found = store.schemaVersion();
  if (found === undefined) {
    if (!store.readOnly) await store.writeSchemaVersion(target);
    return;
  }
  if (found > target) {
    throw new OntomemError('STORE_NEWER', {
      input: store.path,
      problem: `has schema version ${found}, this ontomem knows ${target}`,
    });
  }
  for (let version = found; version < target; version++) {
    const step = steps[version];
    if (step === undefined) {
      throw new OntomemError('STORE_CORRUPT', {
        input: store.path,
        problem: `has schema version ${version}, from which no step leads on`,
      });
    }
    await step(store);
    await store.writeSchemaVersion(version + 1);
  }
}
