// Where encoders are kept between runs, and how files get there whole.

import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { OntomemError, reasonOf } from '../../errors.js';

/** `ONTOMEM_CACHE`, or `.cache/ontomem` in the home folder. */
export function cacheFolder(): string {
  return process.env.ONTOMEM_CACHE || join(homedir(), '.cache', 'ontomem');
}

/**
 * Writes a file piece by piece under a temporary name and renames it into place, so that a reader sees the old
 * file or the whole new one. @throws STORE_UNWRITABLE when the folder refuses; errors of `pieces` pass through.
 */
export async function writeAtomically(
  path: string,
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  await guard(path, () => mkdir(dirname(path), { recursive: true }));
  const handle = await guard(path, () => open(temporary, 'wx'));
  try {
    for await (const piece of pieces) await guard(path, () => handle.writeFile(piece));
    await guard(path, () => handle.sync());
    await handle.close();
    await guard(path, () => rename(temporary, path));
  } catch (error) {
    await handle.close();
    await rm(temporary, { force: true });
    throw error;
  }
}

async function guard<T>(path: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (cause) {
    throw new OntomemError('STORE_UNWRITABLE', {
      input: path,
      problem: `cannot be written (${reasonOf(cause)})`,
      cure: 'give this process write permission and free disk space, or set ONTOMEM_CACHE to another folder',
      cause,
    });
  }
}
