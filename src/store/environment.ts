// One LMDB environment on disk: its databases, its schema version, its single writer and its durable commits.
import { randomUUID } from 'node:crypto';
import { realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, open, type RootDatabase } from 'lmdb';
import { OntomemError } from '../errors.js';
import { unlockFile } from '../native/lock.js';
import { type Migrations, migrate, type VersionedStore } from './schema.js';
import { DATA_FILE, makeFolder, reason, refuseDamage, requireSpace, takeWriterLock } from './store-folder.js';

type Table = Database<Buffer, Buffer>;

/** The databases of a store. Keys are built in keys.ts, values in records.ts. */
export interface Tables {
  /** schema version, encoder identity, next scope id */
  meta: Table;
  /** tenant + user -> ScopeRecord */
  scopes: Table;
  /** scope + session name -> SessionRecord */
  sessions: Table;
  /** scope + speaker name -> ordinal, number of turns */
  speakers: Table;
  /** scope + row -> TurnRecord */
  turns: Table;
  /** scope + turn id -> row */
  turnIds: Table;
  /** scope + row -> RowRecord */
  rows: Table;
  /** scope + row -> float32 vector, little-endian */
  vectors: Table;
  /** scope + event time + row -> nothing: turns in the order in which they were said */
  timeline: Table;
}

const TABLE_NAMES = [
  'meta',
  'scopes',
  'sessions',
  'speakers',
  'turns',
  'turnIds',
  'rows',
  'vectors',
  'timeline',
] as const satisfies ReadonlyArray<keyof Tables>;

const BINARY = { encoding: 'binary', keyEncoding: 'binary' } as const;

/** An open store folder. At most one process writes to it; any number may read. */
export class Environment implements VersionedStore {
  readonly tables: Tables;
  readonly readOnly: boolean;
  readonly path: string;
  /** Names this opening; shards of two openings of one folder never mix. */
  readonly instanceKey: string;
  readonly #root: RootDatabase<Buffer, Buffer>;
  readonly #lock: number | undefined;
  #closed = false;

  /** Folders open with readOnly in this thread: LMDB cannot open one for writing beside that. */
  static readonly #read = new Map<string, number>();

  private constructor(
    path: string,
    root: RootDatabase<Buffer, Buffer>,
    readOnly: boolean,
    lock: number | undefined,
  ) {
    this.path = path;
    this.instanceKey = `${randomUUID()}:${path}`;
    this.readOnly = readOnly;
    this.#root = root;
    this.#lock = lock;
    this.tables = Object.fromEntries(
      TABLE_NAMES.map((name) => [name, root.openDB<Buffer, Buffer>(name, BINARY)]),
    ) as unknown as Tables;
  }

  /**
   * Opens or creates the store folder `path`.
   * @throws STORE_LOCKED when another process writes to it, STORE_NEWER, STORE_CORRUPT (the bad file is
   * renamed, never deleted), STORE_UNWRITABLE.
   */
  static async open(path: string, { readOnly = false } = {}): Promise<Environment> {
    if (!readOnly) makeFolder(path);
    if (!readOnly) Environment.#refuseBesideReader(path);
    // Locked before it is looked at: what a writer is in the middle of must not be taken for damage.
    const lock = readOnly ? undefined : takeWriterLock(path);
    let root: RootDatabase<Buffer, Buffer> | undefined;
    try {
      refuseDamage(path, readOnly);
      if (!readOnly) requireSpace(path);
      root = open<Buffer, Buffer>({
        path,
        ...BINARY,
        maxDbs: TABLE_NAMES.length,
        readOnly,
        // A commit is acknowledged only once it is on the disk.
        overlappingSync: false,
      });
      const environment = new Environment(path, root, readOnly, lock);
      await migrate(environment, MIGRATIONS);
      if (readOnly) Environment.#countReader(path, 1);
      return environment;
    } catch (error) {
      await root?.close();
      if (lock !== undefined) unlockFile(lock);
      throw error instanceof OntomemError ? error : openError(path, error);
    }
  }

  /**
   * Runs `action` in one write transaction; resolves when it is committed and flushed to disk.
   * `action` must do its checks before its first write: what it throws later does not undo its writes.
   * @throws STORE_READ_ONLY, STORE_CLOSED, STORE_UNWRITABLE (disk full); then nothing was written.
   */
  async write<T>(action: () => T): Promise<T> {
    this.assertOpen();
    if (this.readOnly) {
      throw new OntomemError('STORE_READ_ONLY', {
        input: this.path,
        problem: 'was opened with readOnly: true',
      });
    }
    try {
      return await this.#root.transaction(action);
    } catch (error) {
      if (error instanceof OntomemError) throw error;
      const cause = await commitError(error);
      throw new OntomemError('STORE_UNWRITABLE', {
        input: this.path,
        problem: `the commit failed (${reason(cause)}); nothing of it was written`,
        cause,
      });
    }
  }

  assertOpen(): void {
    if (this.#closed) throw storeClosed(this.path);
  }

  /** Bytes of the data file. */
  bytesOnDisk(): number {
    return statSync(join(this.path, DATA_FILE)).size;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#root.close();
    if (this.readOnly) Environment.#countReader(this.path, -1);
    if (this.#lock !== undefined) unlockFile(this.#lock);
  }

  static #countReader(path: string, change: 1 | -1): void {
    const folder = realpathSync(path);
    Environment.#read.set(folder, (Environment.#read.get(folder) ?? 0) + change);
  }

  static #refuseBesideReader(path: string): void {
    if (!Environment.#read.get(realpathSync(path))) return;
    throw new OntomemError('STORE_LOCKED', {
      input: path,
      problem: 'is open with readOnly in this process',
      cure: 'close that memory first, or open the one that writes before it',
    });
  }

  /** The schema version this file was written with; undefined in a new one. */
  schemaVersion(): number | undefined {
    return this.tables.meta.get(SCHEMA_KEY)?.readUInt32BE(0);
  }

  async writeSchemaVersion(version: number): Promise<void> {
    const value = Buffer.allocUnsafe(4);
    value.writeUInt32BE(version, 0);
    await this.write(() => this.tables.meta.putSync(SCHEMA_KEY, value));
  }
}

export function storeClosed(path: string): OntomemError {
  return new OntomemError('STORE_CLOSED', { input: path, problem: 'the memory was closed' });
}

const SCHEMA_KEY = Buffer.from('schema');
/** Version 1 is the first; the step from 1 to 2 will be `1: async (store) => ...`. */
const MIGRATIONS: Migrations<Environment> = {};

function openError(path: string, error: unknown): OntomemError {
  const denied = /permission|denied|EACCES|EROFS|read-only|space/i.test(reason(error));
  return new OntomemError(denied ? 'STORE_UNWRITABLE' : 'STORE_CORRUPT', {
    input: path,
    problem: `cannot be opened (${reason(error)})`,
    cause: error,
  });
}

/** lmdb says why a commit failed in a promise of its own, which fails the process when nobody looks. */
async function commitError(error: unknown): Promise<unknown> {
  try {
    await (error as { commitError?: Promise<unknown> } | undefined)?.commitError;
    return error;
  } catch (cause) {
    return cause;
  }
}
