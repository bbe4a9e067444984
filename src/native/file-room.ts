// Room on the disk behind the end of a file, taken before it is written to.
import { addon, guarded } from './addon.js';

/**
 * Sets the bytes from `from` to `to` of a file aside, holes included; its length stays. 0, or the number of the
 * operating system's refusal (ENOSPC, EDQUOT, EIO). Linux only: elsewhere nothing is set aside and 0 is given.
 */
export function reserveRoom(path: string, from: number, to: number): number {
  return guarded('reserveRoom', () => addon.reserveRoom(path, from, to));
}

/** Gives back what is set aside behind the end of the file. */
export function releaseRoom(path: string): void {
  guarded('releaseRoom', () => addon.releaseRoom(path));
}
