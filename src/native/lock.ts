// Locks of a store's files: between processes and threads, given back at the latest when the thread ends.
import { addon, guarded } from './addon.js';

/** Given instead of a ticket: the file cannot be written to, or there is no such folder. */
export const LOCK_UNWRITABLE = -2;
export const LOCK_ABSENT = -3;
/** Given by `holdReaders` instead of a ticket: the disk is full. */
export const READERS_NO_ROOM = -3;

/** Opens a lock: a ticket >= 0, LOCK_UNWRITABLE or LOCK_ABSENT. Every opening is a holder of its own. */
export function openLock(path: string): number {
  return guarded('openLock', () => addon.openLock(path));
}

/** Takes the lock unless another opening holds it; never waits. */
export function tryLock(ticket: number): boolean {
  return guarded('tryLock', () => addon.tryLock(ticket)) === 1;
}

export function releaseLock(ticket: number): void {
  guarded('releaseLock', () => addon.releaseLock(ticket));
}

/** Gives back the lock, when it is held, and the ticket. */
export function closeLock(ticket: number): void {
  guarded('closeLock', () => addon.closeLock(ticket));
}

/** Takes the lock when this thread ends, before what is open by now is closed. */
export function lockAtEnd(ticket: number): void {
  guarded('lockAtEnd', () => addon.lockAtEnd(ticket));
}

/** Keeps LMDB's reader table at `path` in use by this process: a ticket >= 0, or -2, or READERS_NO_ROOM. */
export function holdReaders(path: string): number {
  return guarded('holdReaders', () => addon.holdReaders(path));
}

/** Says again that the table is in use, after LMDB has opened the store. */
export function markReaders(ticket: number): void {
  guarded('markReaders', () => addon.markReaders(ticket));
}

/** Gives the table back, after LMDB has closed the store. */
export function dropReaders(ticket: number): void {
  guarded('dropReaders', () => addon.dropReaders(ticket));
}
