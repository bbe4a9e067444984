// The writer lock: held by this process until it is given back or the process ends.
import { addon, guarded } from './addon.js';

/** Takes the writer lock at `path`: a ticket >= 0, -1 when another holds it, -2 when it cannot be made. */
export function lockFile(path: string): number {
  return guarded('lockFile', () => addon.lockFile(path));
}

export function unlockFile(ticket: number): void {
  guarded('unlockFile', () => addon.unlockFile(ticket));
}
