// The files behind an open store: bound to its tables, told apart from others, followed when replaced.

import { markReaders } from '../native/lock.js';
import type { Faults } from './faults.js';
import { closeFiles, type LmdbFiles, openFiles } from './lmdb-files.js';
import { storeClosed, unwritable } from './store-errors.js';
import { filesIdentity, refuseDamage, removeLeftovers } from './store-folder.js';
import { StoreLock } from './store-lock.js';
import { TABLE_NAMES, type Tables } from './tables.js';

export interface StoreFilesOptions {
  path: string;
  readOnly: boolean;
  tables: Tables;
  step: Faults;
}

export class StoreFiles {
  readonly #path: string;
  readonly #readOnly: boolean;
  readonly #tables: Tables;
  readonly #step: Faults;
  #lock: StoreLock;
  #files: LmdbFiles | undefined;
  /** The files were replaced from here, and the new ones could not be opened yet. */
  #replaced = false;

  constructor({ path, readOnly, tables, step }: StoreFilesOptions) {
    this.#path = path;
    this.#readOnly = readOnly;
    this.#tables = tables;
    this.#step = step;
    this.#lock = StoreLock.open(path, readOnly);
  }

  get isOpen(): boolean {
    return this.#files !== undefined;
  }

  /** @throws STORE_CLOSED. */
  get current(): LmdbFiles {
    if (this.#files === undefined) throw storeClosed(this.#path);
    return this.#files;
  }

  async open(): Promise<void> {
    await this.#lock.run(async () => {
      this.#step('open');
      if (!this.#readOnly) removeLeftovers(this.#path);
      await this.#openAndBind(this.#lock);
    });
  }

  /** Runs `action` on the open files while no other process or thread opens, closes or commits. */
  async locked<T>(action: (files: LmdbFiles) => Promise<T>): Promise<T> {
    return this.#lock.run(async () => {
      await this.#openReplaced();
      return action(this.sound());
    });
  }

  /**
   * The open files, which must still be the folder's. @throws STORE_UNWRITABLE: what would be written now
   * would be lost with them.
   */
  sound(): LmdbFiles {
    const files = this.current;
    if (this.#replaced || this.#identityNow() === files.identity) {
      if (files.readers >= 0) markReaders(files.readers);
      return files;
    }
    throw unwritable(
      this.#path,
      'its data file is not there any more',
      'it was removed or replaced since it was opened',
      '; nothing was written; close this memory and open it again',
    );
  }

  /** Reads from now on see what is committed by now; false when the files are not the folder's any more. */
  look(): boolean {
    const files = this.#files;
    if (files === undefined) return false;
    // LMDB alone keeps one view for a turn of the event loop.
    files.root.resetReadTxn();
    // Whoever reads the reader table's file in this process, such as a backup, takes the mark away.
    if (files.readers >= 0) markReaders(files.readers);
    return this.#identityNow() === files.identity;
  }

  /** Opens the files that are the folder's now, and then closes the old ones. @throws NOT_FOUND. */
  async follow(): Promise<void> {
    const lock = StoreLock.open(this.#path, this.#readOnly);
    try {
      await lock.run(async () => {
        const old = this.#files;
        await this.#openAndBind(lock);
        if (old !== undefined) await closeFiles(old);
      });
    } catch (error) {
      lock.close();
      throw error;
    }
    this.#lock.close();
    this.#lock = lock;
  }

  /** Lets `replace` put other files in the place of the open ones, and opens what is there then. */
  async replace(replace: () => void): Promise<void> {
    await this.#lock.run(async () => {
      this.sound();
      this.#replaced = true;
      try {
        replace();
      } finally {
        await this.#openReplaced();
      }
    });
  }

  async close(): Promise<void> {
    const files = this.#files;
    this.#files = undefined;
    if (files !== undefined) {
      try {
        await this.#lock.run(() => closeFiles(files));
      } catch {
        // Somebody hangs with the lock. Staying open would only add to it.
        await closeFiles(files);
      }
    }
    this.#lock.close();
  }

  /** Until it succeeds, reads go on with the old files, which hold the same, and each write tries again. */
  async #openReplaced(): Promise<void> {
    if (!this.#replaced) return;
    const old = this.current;
    this.#step('compact-reopen');
    this.#bind(await openFiles(this.#path, this.#readOnly));
    this.#replaced = false;
    this.#lock.coverEndOfThread();
    await closeFiles(old);
  }

  async #openAndBind(lock: StoreLock): Promise<void> {
    refuseDamage(this.#path, this.#readOnly);
    this.#bind(await openFiles(this.#path, this.#readOnly));
    lock.coverEndOfThread();
  }

  #bind(files: LmdbFiles): void {
    this.#files = files;
    for (const name of TABLE_NAMES) this.#tables[name].bind(files.databases[name]);
  }

  /** undefined also when it cannot be told: then the files are not taken for the same. */
  #identityNow(): string | undefined {
    try {
      this.#step('stat');
      return filesIdentity(this.#path);
    } catch {
      return undefined;
    }
  }
}
