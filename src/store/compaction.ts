// Compaction: the data file written anew with nothing but what is stored, so that forgotten bytes are gone.

import { chmodSync, chownSync, closeSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { commitWrites } from './commit.js';
import type { Faults } from './faults.js';
import { closeFiles, type LmdbFiles, openFiles } from './lmdb-files.js';
import { COMPACTION_FOLDER, DATA_FILE, makeInnerFolder, READER_TABLE } from './store-folder.js';
import type { Entry } from './table.js';
import { type Databases, FORGOTTEN_KEY, TABLE_NAMES, type Tables } from './tables.js';
import type { Usage } from './usage.js';

/** Up to this size a close compacts after any forgetting: it takes about as long as opening. */
const ALWAYS_AT_CLOSE_BYTES = 32 * 1024 * 1024;
/** Above it, a close compacts when this share of the file is free. */
const FREE_SHARE_AT_CLOSE = 0.25;
/** While open, a forget compacts when half of the file is free and that is this much. */
const FREE_SHARE_WHILE_OPEN = 0.5;
const FREE_BYTES_WHILE_OPEN = 16 * 1024 * 1024;
/** Entries copied in one transaction: the event loop is held some milliseconds for each. */
const COPY_ENTRIES = 1000;

/** Notes that what people said is removed or replaced. Inside the transaction that does so. */
export function noteForgetting(tables: Tables): void {
  tables.meta.putSync(FORGOTTEN_KEY, Buffer.of(1));
}

/** Whether something was forgotten or amended and enough is free to write the file anew. */
export function isDue(tables: Tables, { bytes, usedBytes }: Usage, atClose: boolean): boolean {
  if (tables.meta.get(FORGOTTEN_KEY) === undefined) return false;
  const free = bytes - usedBytes;
  if (atClose) return bytes <= ALWAYS_AT_CLOSE_BYTES || free >= bytes * FREE_SHARE_AT_CLOSE;
  return free >= Math.max(FREE_BYTES_WHILE_OPEN, bytes * FREE_SHARE_WHILE_OPEN);
}

/** How a copy takes the place of the open files: `replace` runs when nobody opens or closes the store. */
export interface Swap {
  swap: (replace: () => void) => Promise<void>;
}

/**
 * Writes everything stored into new files and puts them in the place of the old ones. Killed at any step,
 * the folder holds the old store or the new one, whole; the rest is removed at the next writing open.
 */
export async function compactFiles(path: string, files: LmdbFiles, step: Faults, { swap }: Swap) {
  const folder = makeInnerFolder(path, COMPACTION_FOLDER);
  try {
    await copyInto(folder, files.databases, step);
    step('compact-sync');
    for (const name of [READER_TABLE, DATA_FILE]) keepRights(join(path, name), join(folder, name));
    syncPath(join(folder, DATA_FILE));
    await swap(() => {
      step('compact-rename');
      // The reader table first: who has the old one sees by it that the files were replaced, and whoever
      // has the new one beside the old data shares it with every later opening.
      renameSync(join(folder, READER_TABLE), join(path, READER_TABLE));
      renameSync(join(folder, DATA_FILE), join(path, DATA_FILE));
      syncPath(path);
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function copyInto(folder: string, from: Databases, step: Faults): Promise<void> {
  const files = await openFiles(folder, false);
  try {
    for (const name of TABLE_NAMES) {
      const keep = name === 'meta' ? isKept : () => true;
      for (const entries of pages(from[name])) {
        step('compact-copy');
        await commitWrites(files, [[name, entries.filter(keep)]], { inOrder: true });
      }
    }
  } finally {
    await closeFiles(files);
  }
}

function isKept({ key }: Entry): boolean {
  return !key.equals(FORGOTTEN_KEY);
}

/** No cursor is open between two pages. */
function* pages(database: Databases['meta']): Generator<Entry[]> {
  let start: Buffer | undefined = Buffer.of(0);
  while (start !== undefined) {
    const page = [...database.getRange({ start, limit: COPY_ENTRIES })] as Entry[];
    if (page.length > 0) yield page;
    const last = page.at(-1);
    start =
      last === undefined || page.length < COPY_ENTRIES
        ? undefined
        : Buffer.concat([last.key, Buffer.alloc(1)]);
  }
}

/** Who may use the old file may use the one in its place. */
function keepRights(old: string, replacement: string): void {
  const { uid, gid, mode } = statSync(old);
  try {
    chownSync(replacement, uid, gid);
  } catch (error) {
    // Only an administrator gives files away: then it is the compacting user's.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
  }
  chmodSync(replacement, mode & 0o777);
}

/** Flushes a file, or the names in a folder, to the disk. */
function syncPath(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
