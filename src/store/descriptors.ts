// Room for the descriptors of an opening, looked for before LMDB needs them.
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { isShortOfFiles, tooManyOpenFiles } from './store-errors.js';

/** What LMDB and the locks around it open at once, and some for threads that open beside this one. */
const NEEDED = 12;

/**
 * LMDB does not survive an opening for which descriptors run out in the middle: the process would end.
 * @throws STORE_UNWRITABLE when there are not enough.
 */
export function assureDescriptors(path: string): void {
  const taken: number[] = [];
  try {
    for (let count = 0; count < NEEDED; count++) taken.push(openSync(devNull, 'r'));
  } catch (error) {
    // Where there is no such device nothing can be told.
    if (isShortOfFiles(error)) throw tooManyOpenFiles(path, error);
  } finally {
    for (const descriptor of taken) closeSync(descriptor);
  }
}
