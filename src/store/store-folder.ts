// The folder of a store as the operating system sees it: made, written to, not damaged, the same as before.
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { OntomemError, reasonOf } from '../errors.js';
import { lookAtDataFile } from './data-file.js';
import { noStore, notRead } from './store-errors.js';

export const DATA_FILE = 'data.mdb';
export const READER_TABLE = 'lock.mdb';
/** An empty file: the data file once held a store. One that is empty beside it is damaged, not new. */
const MADE_MARK = 'made';
/** Where a compaction writes before it takes the place of the data file. */
export const COMPACTION_FOLDER = 'compacting';
/** What an import keeps while it checks an archive; the rest of the name is random. */
export const SPOOL_PREFIX = 'import-';
/** For the owner alone: the store holds what people said. */
const OWNER_FOLDER = 0o700;
export const OWNER_FILE = 0o600;

/** @throws STORE_UNWRITABLE. */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: OWNER_FOLDER });
  } catch (error) {
    throw new OntomemError('STORE_UNWRITABLE', {
      input: path,
      problem: `cannot be created (${reasonOf(error)})`,
      cause: error,
    });
  }
}

/** The folder holds a store from now on. */
export function markMade(path: string): void {
  writeFileSync(join(path, MADE_MARK), '', { mode: OWNER_FILE });
}

/** Makes an empty folder of that name inside the store. */
export function makeInnerFolder(path: string, name: string): string {
  const folder = join(path, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: OWNER_FOLDER });
  return folder;
}

export function mayWriteTo(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Looks at the file of a lock without opening it: a closed descriptor of LMDB's reader table takes the marks
 * of this process away. @throws STORE_UNWRITABLE when it is no file, or a writer may not write to it.
 */
export function refuseLockFile(file: string, readOnly: boolean): void {
  let found: Stats | undefined;
  try {
    found = statSync(file, { throwIfNoEntry: false });
  } catch (error) {
    throw notRead(file, error);
  }
  if (found === undefined) return;
  if (!found.isFile()) {
    throw new OntomemError('STORE_UNWRITABLE', {
      input: file,
      problem: 'is a lock of the store, but not a regular file',
      cure: 'remove it while nobody has the store open: it is made again',
    });
  }
  if (readOnly || mayWriteTo(file)) return;
  throw new OntomemError('STORE_UNWRITABLE', {
    input: file,
    problem: 'is a lock of the store that this process may not write to',
    cure: 'give this process the right to write to it, or open with readOnly: true',
  });
}

/** What killed imports and compactions left: copies of turns that may be forgotten by now. */
export function removeLeftovers(path: string): void {
  for (const name of readdirSync(path)) {
    if (name === COMPACTION_FOLDER || name.startsWith(SPOOL_PREFIX)) {
      rmSync(join(path, name), { recursive: true, force: true });
    }
  }
}

/** Which files the store consists of: others after a compaction; undefined when there is no data file. */
export function filesIdentity(path: string): string | undefined {
  const data = statSync(join(path, DATA_FILE), { throwIfNoEntry: false });
  const readers = statSync(join(path, READER_TABLE), { throwIfNoEntry: false });
  return data && `${data.dev}:${data.ino}:${readers?.ino}`;
}

/**
 * Names the data file itself: a copy, or a file made anew where another one lay, has another name. By its
 * birth time too, because file systems give the number of a removed file to the next one.
 */
export function dataFileName(path: string): string {
  const { dev, ino, birthtimeNs } = statSync(join(path, DATA_FILE), { bigint: true });
  return `${dev}:${ino}:${birthtimeNs}`;
}

/**
 * LMDB maps its file, and a torn one would kill the process: it is looked at before. Only a writer sets a
 * damaged file aside, and only when its content was read and found damaged. Under the store's lock: what
 * another process is in the middle of is no damage.
 * @throws STORE_CORRUPT, STORE_UNWRITABLE when it may not be read, NOT_FOUND when a reader finds no store.
 */
export function refuseDamage(path: string, readOnly: boolean): void {
  const file = join(path, DATA_FILE);
  const found = lookAtDataFile(file);
  if (found.kind === 'sound') return;
  if (found.kind === 'absent') {
    if (existsSync(file) && existsSync(join(path, MADE_MARK))) {
      throw new OntomemError('STORE_CORRUPT', {
        input: file,
        problem: 'is empty, and it was not',
        cure: 'restore the folder from an export, or remove it to begin anew',
      });
    }
    const setAside = filesSetAside(path);
    if (setAside !== undefined) {
      throw new OntomemError('STORE_CORRUPT', {
        input: path,
        problem: `holds only a damaged file, ${setAside}`,
      });
    }
    if (!readOnly) return;
    throw noStore(path);
  }
  if (found.kind === 'unread') throw notRead(file, found.cause);
  const { problem } = found;
  if (found.kind === 'no file') {
    throw new OntomemError('STORE_CORRUPT', {
      input: file,
      problem,
      cure: 'move it away, then restore the folder from an export',
    });
  }
  if (readOnly) {
    throw new OntomemError('STORE_CORRUPT', {
      input: file,
      problem,
      cure: 'restore the folder from an export; opening it for writing sets the bad file aside',
    });
  }
  const aside = `${file}.corrupt-${Date.now()}`;
  renameSync(file, aside);
  throw new OntomemError('STORE_CORRUPT', { input: file, problem: `${problem}; it was renamed to ${aside}` });
}

function filesSetAside(path: string): string | undefined {
  try {
    return readdirSync(path).find((name) => name.startsWith(`${DATA_FILE}.corrupt-`));
  } catch {
    return undefined;
  }
}
