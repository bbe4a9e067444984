// An open store folder: its tables, its schema version, its one writer and its durable commits.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { breathe } from '../breather.js';
import type { Compacted } from '../contract/memory.js';
import { OntomemError } from '../errors.js';
import { closeLock } from '../native/lock.js';
import { commitWrites, type PendingWrite, stageGroup } from './commit.js';
import { compactFiles, isDue } from './compaction.js';
import type { FaultPoint, Faults } from './faults.js';
import type { LmdbFiles } from './lmdb-files.js';
import { type Migrations, migrate, type VersionedStore } from './schema.js';
import { noStore, notOpened, storeClosed, unreadable, unwritable } from './store-errors.js';
import { StoreFiles } from './store-files.js';
import { DATA_FILE, makeFolder, markMade, SPOOL_PREFIX } from './store-folder.js';
import { takeWriterLock } from './store-lock.js';
import type { ReadGuard } from './table.js';
import { makeTables, type Tables, takeWrites } from './tables.js';
import { type Usage, usageOf } from './usage.js';

export interface EnvironmentOptions {
  readOnly?: boolean;
  /** For tests; see faults.ts. @internal */
  faults?: Faults;
}

/** An open store folder. At most one memory writes to it; any number, here and in other processes, read. */
export class Environment implements VersionedStore, ReadGuard {
  readonly tables: Tables = makeTables(this);
  readonly readOnly: boolean;
  readonly path: string;
  readonly #faults: Faults | undefined;
  readonly #writerLock: number | undefined;
  readonly #files: StoreFiles;
  #closed = false;
  /** Writes that wait for the commit under way. */
  #pending: PendingWrite[] = [];
  /** Commits, compactions and openings of this environment, one after the other. */
  #tail: Promise<unknown> = Promise.resolve();

  private constructor(path: string, options: EnvironmentOptions, writerLock: number | undefined) {
    this.path = path;
    this.readOnly = options.readOnly ?? false;
    this.#faults = options.faults;
    this.#writerLock = writerLock;
    this.#files = new StoreFiles({
      path,
      readOnly: this.readOnly,
      tables: this.tables,
      step: (point) => this.#step(point),
    });
  }

  /**
   * Opens the store folder `path`; a writer makes it when it is absent.
   * @throws STORE_LOCKED when another memory writes to it, NOT_FOUND for a reader of nothing, STORE_NEWER,
   * STORE_CORRUPT (a writer renames the bad file, nobody deletes it), STORE_UNWRITABLE.
   */
  static async open(path: string, options: EnvironmentOptions = {}): Promise<Environment> {
    const { readOnly = false } = options;
    if (!readOnly) makeFolder(path);
    const writerLock = readOnly ? undefined : takeWriterLock(path);
    let environment: Environment | undefined;
    try {
      environment = new Environment(path, options, writerLock);
      await environment.#files.open();
      await migrate(environment, MIGRATIONS);
      await environment.#nameStore();
      return environment;
    } catch (error) {
      if (environment !== undefined) await environment.close();
      else if (writerLock !== undefined) closeLock(writerLock);
      throw notOpened(path, error);
    }
  }

  /** Gives a new store the id that shards of its scopes go by. */
  async #nameStore(): Promise<void> {
    if (this.readOnly || this.tables.meta.get(STORE_KEY) !== undefined) return;
    await this.write(() => this.tables.meta.putSync(STORE_KEY, randomBytes(STORE_ID_BYTES)));
    markMade(this.path);
  }

  /**
   * Runs `action` and commits what it wrote in one transaction; resolves when it is flushed to disk. Calls
   * that come while a commit is under way share the next one. An action that throws writes nothing.
   * @throws STORE_READ_ONLY, STORE_CLOSED, STORE_UNWRITABLE (disk full, folder gone); then nothing was
   * written.
   */
  async write<T>(action: () => T): Promise<T> {
    this.assertOpen();
    this.#assertWriter();
    const written = new Promise<unknown>((resolve, reject) => {
      this.#pending.push({ action, resolve, reject });
    });
    if (this.#pending.length === 1) {
      this.#inTurn(() => this.#files.locked((files) => this.#commitPending(files))).catch((error) =>
        this.#rejectPending(unwritable(this.path, 'the commit failed', error, '; nothing of it was written')),
      );
    }
    return written as Promise<T>;
  }

  /**
   * Reads from now on see everything committed by now: LMDB alone keeps one view for a turn of the event
   * loop. False for a reader whose files a compaction has replaced: then `refresh` opens the new ones.
   */
  look(): boolean {
    return !this.readOnly || this.#files.look();
  }

  /** A reader follows the files when a compaction has replaced them. @throws NOT_FOUND when they are gone. */
  async refresh(): Promise<void> {
    if (this.look()) return;
    await this.#inTurn(async () => {
      if (this.#closed || this.look()) return;
      try {
        await this.#files.follow();
      } catch (error) {
        throw notOpened(this.path, error);
      }
    });
  }

  /**
   * Rewrites the data file without what is free in it, so that no byte of what was forgotten is left in the
   * folder. Writes wait, reads go on. O(bytes of the store).
   * @throws STORE_READ_ONLY, STORE_UNWRITABLE (no room for the copy); then the store is as it was.
   */
  async compact(): Promise<Compacted> {
    this.assertOpen();
    this.#assertWriter();
    return this.#inTurn(async () => {
      try {
        const files = await this.#files.locked(async (sound) => sound);
        const bytesBefore = this.bytesOnDisk();
        await compactFiles(this.path, files, (point) => this.#step(point), {
          swap: (replace) => this.#files.replace(replace),
        });
        return { bytesBefore, bytesAfter: this.bytesOnDisk() };
      } catch (error) {
        throw unwritable(this.path, 'the compaction failed', error);
      }
    });
  }

  /** Compacts when something was forgotten or amended and it is worth it; `atClose` it is worth it sooner. */
  async compactIfDue(atClose: boolean): Promise<void> {
    if (this.readOnly) return;
    try {
      if (isDue(this.tables, this.usage(), atClose)) await this.compact();
    } catch (error) {
      // What was forgotten is still noted, and the next close tries again.
      if (!(error instanceof OntomemError)) throw error;
    }
  }

  /** Bytes of the data file, and of its pages that are in use. */
  usage(): Usage {
    return this.read('read', () => usageOf(this.#files.current));
  }

  /** A new folder inside the store, for what must not lie elsewhere. @throws STORE_UNWRITABLE. */
  makeSpoolFolder(): string {
    this.#assertWriter();
    try {
      this.#step('spool');
      return mkdtempSync(join(this.path, SPOOL_PREFIX));
    } catch (error) {
      throw unwritable(this.path, 'an import cannot be kept in it while it is checked', error);
    }
  }

  assertOpen(): void {
    if (this.#closed) throw storeClosed(this.path);
  }

  /** Bytes of the data file. */
  bytesOnDisk(): number {
    try {
      this.#step('stat');
      return statSync(join(this.path, DATA_FILE)).size;
    } catch {
      throw noStore(this.path);
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#inTurn(() => this.#files.close());
    if (this.#writerLock !== undefined) closeLock(this.#writerLock);
  }

  /** Runs a read of a table. @throws STORE_CLOSED, STORE_CORRUPT. */
  read<T>(kind: 'read' | 'range', action: () => T): T {
    if (!this.#files.isOpen) throw storeClosed(this.path);
    try {
      this.#step(kind);
      return action();
    } catch (error) {
      throw unreadable(this.path, error);
    }
  }

  /** Names the open data file: another one after a compaction, or when other files were followed. */
  dataFile(): string {
    return this.#files.current.name;
  }

  /** Names the store wherever it lies: made with it, and kept when its files are written anew. */
  storeId(): string {
    return this.tables.meta.get(STORE_KEY)?.toString('hex') ?? '';
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

  async #commitPending(files: LmdbFiles): Promise<void> {
    const waiting = this.#pending;
    this.#pending = [];
    while (waiting.length > 0) await this.#commitSome(files, waiting);
  }

  /** Takes as many of those that wait as fit into one round of the event loop, at least one. */
  async #commitSome(files: LmdbFiles, waiting: PendingWrite[]): Promise<void> {
    await breathe();
    const done = stageGroup(this.tables, waiting);
    const writes = takeWrites(this.tables);
    try {
      if (writes.length > 0) {
        // Staging a hundred turns takes 5 ms, and handing them over 3.
        await breathe();
        this.#step('commit');
        await commitWrites(files, writes);
      }
      for (const { resolve, result } of done) resolve(result);
    } catch (error) {
      const failure = unwritable(this.path, 'the commit failed', error, '; nothing of it was written');
      for (const { reject } of done) reject(failure);
    }
  }

  #rejectPending(error: unknown): void {
    const group = this.#pending;
    this.#pending = [];
    for (const { reject } of group) reject(error);
  }

  #assertWriter(): void {
    if (!this.readOnly) return;
    throw new OntomemError('STORE_READ_ONLY', {
      input: this.path,
      problem: 'was opened with readOnly: true',
    });
  }

  #step(point: FaultPoint): void {
    this.#faults?.(point);
  }

  async #inTurn<T>(task: () => Promise<T>): Promise<T> {
    const turn = this.#tail.then(task);
    this.#tail = turn.catch(() => undefined);
    return turn;
  }
}

const SCHEMA_KEY = Buffer.from('schema');
const STORE_KEY = Buffer.from('store');
const STORE_ID_BYTES = 16;
/** Version 1 is the first; the step from 1 to 2 will be `1: async (store) => ...`. */
const MIGRATIONS: Migrations<Environment> = {};
