// An open store folder: its tables, its schema version, its one writer and its durable commits.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Compacted } from '../contract/memory.js';
import { OntomemError } from '../errors.js';
import { closeLock } from '../native/lock.js';
import { commitWrites, type PendingWrite, stageGroup, takeWrites } from './commit.js';
import { compactFiles, isDue, noteForgetting, type Usage, usageOf } from './compaction.js';
import type { FaultPoint, Faults } from './faults.js';
import { closeFiles, type LmdbFiles, openFiles } from './lmdb-files.js';
import { type Migrations, migrate, type VersionedStore } from './schema.js';
import {
  DATA_FILE,
  filesIdentity,
  makeFolder,
  noStore,
  reason,
  refuseDamage,
  removeLeftovers,
  SPOOL_PREFIX,
} from './store-folder.js';
import { StoreLock, takeWriterLock } from './store-lock.js';
import type { ReadGuard } from './table.js';
import { makeTables, TABLE_NAMES, type Tables } from './tables.js';

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
  #storeLock: StoreLock;
  #files: LmdbFiles | undefined;
  #closed = false;
  /** The files were replaced by this environment, which could not open the new ones yet. */
  #replaced = false;
  /** Writes that wait for the commit under way. */
  #pending: PendingWrite[] = [];
  /** Commits, compactions and openings of this environment, one after the other. */
  #tail: Promise<unknown> = Promise.resolve();

  private constructor(path: string, options: EnvironmentOptions, writerLock: number | undefined) {
    this.path = path;
    this.readOnly = options.readOnly ?? false;
    this.#faults = options.faults;
    this.#writerLock = writerLock;
    this.#storeLock = StoreLock.open(path);
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
      await environment.#open();
      return environment;
    } catch (error) {
      if (environment !== undefined) await environment.close();
      else if (writerLock !== undefined) closeLock(writerLock);
      throw error instanceof OntomemError ? error : openError(path, error);
    }
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
      this.#inTurn(() => this.#storeLock.run(() => this.#commitPending())).catch((error) =>
        this.#rejectPending(error),
      );
    }
    return written as Promise<T>;
  }

  /**
   * Reads from now on see everything committed by now: LMDB alone keeps one view for a turn of the event
   * loop. False for a reader whose files a compaction has replaced: then `refresh` opens the new ones.
   */
  look(): boolean {
    if (!this.readOnly) return true;
    this.#files?.root.resetReadTxn();
    return this.#identityNow() === this.#files?.identity;
  }

  /** A reader follows the files when a compaction has replaced them. @throws NOT_FOUND when they are gone. */
  async refresh(): Promise<void> {
    if (this.look()) return;
    await this.#inTurn(async () => {
      if (this.#closed || this.look()) return;
      const lock = StoreLock.open(this.path);
      try {
        await lock.run(() => this.#follow(lock));
      } catch (error) {
        lock.close();
        throw error instanceof OntomemError ? error : openError(this.path, error);
      }
      this.#storeLock.close();
      this.#storeLock = lock;
    });
  }

  async #follow(lock: StoreLock): Promise<void> {
    refuseDamage(this.path, true);
    const old = this.#files;
    this.#bind(await openFiles(this.path, true));
    lock.coverEndOfThread();
    if (old !== undefined) await closeFiles(old);
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
      let bytesBefore: number;
      try {
        if (this.#replaced) await this.#storeLock.run(() => this.#reopenReplaced());
        const files = this.#soundFiles();
        bytesBefore = this.bytesOnDisk();
        await compactFiles(this.path, files, (point) => this.#step(point), {
          swap: (replace) => this.#storeLock.run(() => this.#replaceFiles(replace)),
        });
      } catch (error) {
        throw error instanceof OntomemError ? error : this.#unwritable('the compaction failed', error);
      }
      return { bytesBefore, bytesAfter: this.bytesOnDisk() };
    });
  }

  /** Compacts when something was forgotten and it is worth it; `atClose` it is worth it sooner. */
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
    return this.read('read', () => usageOf(this.#openFiles()));
  }

  /** A new folder inside the store, for what must not lie elsewhere. @throws STORE_UNWRITABLE. */
  makeSpoolFolder(): string {
    this.#assertWriter();
    try {
      this.#step('spool');
      return mkdtempSync(join(this.path, SPOOL_PREFIX));
    } catch (error) {
      throw this.#unwritable('an import cannot be kept in it while it is checked', error);
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
    await this.#inTurn(async () => {
      const files = this.#files;
      this.#files = undefined;
      if (files === undefined) return;
      try {
        await this.#storeLock.run(() => closeFiles(files));
      } catch {
        // Somebody hangs with the lock. Staying open would only add to it.
        await closeFiles(files);
      }
    });
    this.#storeLock.close();
    if (this.#writerLock !== undefined) closeLock(this.#writerLock);
  }

  /** Runs a read of a table. @throws STORE_CLOSED, STORE_CORRUPT. */
  read<T>(kind: 'read' | 'range', action: () => T): T {
    if (this.#files === undefined) throw storeClosed(this.path);
    try {
      this.#step(kind);
      return action();
    } catch (error) {
      if (error instanceof OntomemError) throw error;
      throw new OntomemError('STORE_CORRUPT', {
        input: this.path,
        problem: `cannot be read (${reason(error)})`,
        cure: 'open it again; if that does not help, restore the folder from an export',
        cause: error,
      });
    }
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

  async #open(): Promise<void> {
    await this.#storeLock.run(async () => {
      this.#step('open');
      if (!this.readOnly) removeLeftovers(this.path);
      refuseDamage(this.path, this.readOnly);
      this.#bind(await openFiles(this.path, this.readOnly));
      this.#storeLock.coverEndOfThread();
    });
    await migrate(this, MIGRATIONS);
    if (!this.readOnly && this.tables.meta.get(STORE_KEY) === undefined) {
      await this.write(() => this.tables.meta.putSync(STORE_KEY, randomBytes(STORE_ID_BYTES)));
    }
  }

  #bind(files: LmdbFiles): void {
    this.#files = files;
    for (const name of TABLE_NAMES) this.tables[name].bind(files.databases[name]);
  }

  async #commitPending(): Promise<void> {
    const group = this.#pending;
    this.#pending = [];
    let waiting: readonly PendingWrite[] = group;
    try {
      await this.#reopenReplaced();
      const files = this.#soundFiles();
      const done = stageGroup(this.tables, group);
      waiting = done;
      const writes = noteForgetting(takeWrites(this.tables));
      if (writes.length > 0) {
        this.#step('commit');
        await commitWrites(files.root, files.databases, writes);
      }
      for (const { resolve, result } of done) resolve(result);
    } catch (error) {
      const failure =
        error instanceof OntomemError
          ? error
          : this.#unwritable('the commit failed', error, '; nothing of it was written');
      for (const { reject } of waiting) reject(failure);
    }
  }

  #rejectPending(error: unknown): void {
    const group = this.#pending;
    this.#pending = [];
    for (const { reject } of group) reject(error);
  }

  /** The open files, which must still be the folder's. */
  #soundFiles(): LmdbFiles {
    const files = this.#openFiles();
    if (this.#identityNow() === files.identity) return files;
    throw new OntomemError('STORE_UNWRITABLE', {
      input: this.path,
      problem: 'its data file was removed or replaced since it was opened; nothing was written',
      cure: 'close this memory and open it again',
    });
  }

  /** Lets `replace` put other files in the place of the open ones, and opens what is there then. */
  async #replaceFiles(replace: () => void): Promise<void> {
    this.#soundFiles();
    this.#replaced = true;
    try {
      replace();
    } finally {
      await this.#reopenReplaced();
    }
  }

  /** Until it succeeds, reads go on with the old files, which hold the same, and each write tries again. */
  async #reopenReplaced(): Promise<void> {
    if (!this.#replaced) return;
    const old = this.#openFiles();
    this.#step('compact-reopen');
    this.#bind(await openFiles(this.path, this.readOnly));
    this.#replaced = false;
    this.#storeLock.coverEndOfThread();
    await closeFiles(old);
  }

  #openFiles(): LmdbFiles {
    if (this.#files === undefined) throw storeClosed(this.path);
    return this.#files;
  }

  /** undefined also when it cannot be told: then the files are not taken for the same. */
  #identityNow(): string | undefined {
    try {
      this.#step('stat');
      return filesIdentity(this.path);
    } catch {
      return undefined;
    }
  }

  #assertWriter(): void {
    if (!this.readOnly) return;
    throw new OntomemError('STORE_READ_ONLY', {
      input: this.path,
      problem: 'was opened with readOnly: true',
    });
  }

  #unwritable(what: string, cause: unknown, then = ''): OntomemError {
    return new OntomemError('STORE_UNWRITABLE', {
      input: this.path,
      problem: `${what} (${reason(cause)})${then}`,
      cause,
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

export function storeClosed(path: string): OntomemError {
  return new OntomemError('STORE_CLOSED', { input: path, problem: 'the memory was closed' });
}

const SCHEMA_KEY = Buffer.from('schema');
const STORE_KEY = Buffer.from('store');
const STORE_ID_BYTES = 16;
/** Version 1 is the first; the step from 1 to 2 will be `1: async (store) => ...`. */
const MIGRATIONS: Migrations<Environment> = {};

function openError(path: string, error: unknown): OntomemError {
  const denied = /permission|denied|EACCES|EROFS|read-only|space|quota/i.test(reason(error));
  return new OntomemError(denied ? 'STORE_UNWRITABLE' : 'STORE_CORRUPT', {
    input: path,
    problem: `cannot be opened (${reason(error)})`,
    cause: error,
  });
}
