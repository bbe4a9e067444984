// The folder of a store before LMDB opens it: made, locked, with room to write, and not damaged.
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OntomemError } from '../errors.js';
import { lockFile } from '../native/lock.js';
import { dataFileProblem } from './data-file.js';

export const DATA_FILE = 'data.mdb';
const WRITER_LOCK = 'writer.lock';
const SPACE_PROBE = 'space.probe';
/** More than LMDB's lock file has. */
const LEAST_SPACE_BYTES = 32 * 1024;

/** @throws STORE_UNWRITABLE. */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
  } catch (error) {
    throw new OntomemError('STORE_UNWRITABLE', {
      input: path,
      problem: `cannot be created (${reason(error)})`,
      cause: error,
    });
  }
}

/** LMDB maps its lock file full of holes: without room for them the process dies. @throws STORE_UNWRITABLE. */
export function requireSpace(path: string): void {
  const probe = join(path, SPACE_PROBE);
  try {
    writeFileSync(probe, Buffer.alloc(LEAST_SPACE_BYTES));
  } catch (error) {
    throw new OntomemError('STORE_UNWRITABLE', {
      input: path,
      problem: `has no room for ${LEAST_SPACE_BYTES} bytes (${reason(error)})`,
      cause: error,
    });
  } finally {
    rmSync(probe, { force: true });
  }
}

/** Takes the right to write, for as long as this process lives. @throws STORE_LOCKED, STORE_UNWRITABLE. */
export function takeWriterLock(path: string): number {
  const lock = lockFile(join(path, WRITER_LOCK));
  if (lock >= 0) return lock;
  if (lock === LOCK_HELD) {
    throw new OntomemError('STORE_LOCKED', { input: path, problem: 'is open for writing elsewhere' });
  }
  throw new OntomemError('STORE_UNWRITABLE', { input: path, problem: 'cannot be written to' });
}

const LOCK_HELD = -1;

/** LMDB maps its file: a torn one would kill the process, so it is looked at before and set aside. */
export function refuseDamage(path: string, readOnly: boolean): void {
  const file = join(path, DATA_FILE);
  const problem = dataFileProblem(file);
  if (problem === 'absent') {
    const setAside = filesSetAside(path);
    if (setAside !== undefined) {
      throw new OntomemError('STORE_CORRUPT', {
        input: path,
        problem: `holds only a damaged file, ${setAside}`,
      });
    }
    if (!readOnly) return;
    throw new OntomemError('NOT_FOUND', {
      input: path,
      problem: 'holds no store',
      cure: 'open it once without readOnly',
    });
  }
  if (problem === undefined) return;
  const aside = `${file}.corrupt-${Date.now()}`;
  if (!readOnly) renameSync(file, aside);
  throw new OntomemError('STORE_CORRUPT', {
    input: file,
    problem: `${problem}${readOnly ? '' : `; it was renamed to ${aside}`}`,
  });
}

function filesSetAside(path: string): string | undefined {
  try {
    return readdirSync(path).find((name) => name.startsWith(`${DATA_FILE}.corrupt-`));
  } catch {
    return undefined;
  }
}

export function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
