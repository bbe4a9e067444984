// The lock around every opening, closing and commit of a store, between processes and threads.
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { OntomemError } from '../errors.js';
import { closeLock, LOCK_ABSENT, lockAtEnd, openLock, releaseLock, tryLock } from '../native/lock.js';
import { assureDescriptors } from './descriptors.js';
import { noStore } from './store-errors.js';
import { mayWriteTo, refuseLockFile } from './store-folder.js';

const ACCESS_LOCK = 'access.lock';
const QUEUE_LOCK = 'access-queue.lock';
const WRITER_LOCK = 'writer.lock';
/** A commit takes milliseconds; whoever holds the lock longer than this is stopped or hangs. */
const PATIENCE_MS = 30_000;
/** Between two tries. The event loop goes on in between; a timer cannot be shorter. */
const TRY_EVERY_MS = 1;

/**
 * LMDB sets its count of transactions from the data file whenever a store is opened, without a lock of its
 * own (OpenLDAP ITS#9496): beside a commit that loses the commit. So no process opens or closes a store
 * while another opens, closes or commits. Readers that are open take no part.
 *
 * Two files: who waits holds the queue, so that a writer with one commit after the other lets others in.
 * Where a folder may only be read and has no lock files, nobody can write from here, and LMDB takes no
 * part in its own lock file either: then this lock is none.
 */
export class StoreLock {
  readonly #path: string;
  readonly #tickets: { access: number; queue: number } | undefined;
  #tail: Promise<unknown> = Promise.resolve();

  private constructor(path: string, tickets: { access: number; queue: number } | undefined) {
    this.#path = path;
    this.#tickets = tickets;
  }

  /** @throws NOT_FOUND when there is no such folder, STORE_UNWRITABLE when a lock is needed and not to be had. */
  static open(path: string, readOnly: boolean): StoreLock {
    assureDescriptors(path);
    for (const name of [ACCESS_LOCK, QUEUE_LOCK]) refuseLockFile(join(path, name), readOnly);
    const access = openLock(join(path, ACCESS_LOCK));
    if (access === LOCK_ABSENT) throw noStore(path);
    const queue = access < 0 ? access : openLock(join(path, QUEUE_LOCK));
    if (queue >= 0) return new StoreLock(path, { access, queue });
    if (access >= 0) closeLock(access);
    if (!readOnly || mayWriteTo(path)) throw unwritable(path);
    return new StoreLock(path, undefined);
  }

  /** Runs `action` while no other process or thread opens, closes or commits. @throws STORE_LOCKED. */
  async run<T>(action: () => T | Promise<T>): Promise<T> {
    const turn = this.#tail.then(() => this.#runAlone(action));
    this.#tail = turn.catch(() => undefined);
    return turn;
  }

  /** When this thread ends, what is open by now is closed under the lock. */
  coverEndOfThread(): void {
    if (this.#tickets !== undefined) lockAtEnd(this.#tickets.access);
  }

  close(): void {
    if (this.#tickets === undefined) return;
    closeLock(this.#tickets.access);
    closeLock(this.#tickets.queue);
  }

  async #runAlone<T>(action: () => T | Promise<T>): Promise<T> {
    if (this.#tickets === undefined) return action();
    const { access, queue } = this.#tickets;
    const deadline = performance.now() + PATIENCE_MS;
    await this.#take(queue, deadline);
    try {
      await this.#take(access, deadline);
    } finally {
      releaseLock(queue);
    }
    try {
      return await action();
    } finally {
      releaseLock(access);
    }
  }

  async #take(ticket: number, deadline: number): Promise<void> {
    while (!tryLock(ticket)) {
      if (performance.now() > deadline) {
        throw new OntomemError('STORE_LOCKED', {
          input: this.#path,
          problem: `another process has been opening, closing or committing for ${PATIENCE_MS / 1000} s`,
          cure: 'end the process that hangs, then try again',
        });
      }
      await wait(TRY_EVERY_MS);
    }
  }
}

/** The right to write, held until it is closed or this thread ends. @throws STORE_LOCKED, STORE_UNWRITABLE. */
export function takeWriterLock(path: string): number {
  if (!mayWriteTo(path)) throw unwritable(path);
  assureDescriptors(path);
  refuseLockFile(join(path, WRITER_LOCK), false);
  const ticket = openLock(join(path, WRITER_LOCK));
  if (ticket < 0) throw unwritable(path);
  if (tryLock(ticket)) return ticket;
  closeLock(ticket);
  throw new OntomemError('STORE_LOCKED', {
    input: path,
    problem: 'is open for writing elsewhere, in another process or in this one',
    cure: 'use the memory that is open, close it first, or open with readOnly: true',
  });
}

function unwritable(path: string): OntomemError {
  return new OntomemError('STORE_UNWRITABLE', { input: path, problem: 'cannot be written to' });
}
