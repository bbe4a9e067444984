// Standard input as lines, and whatever can be read only once as a file for readers that see it twice.
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OntomemError, reasonOf } from '../errors.js';
import { linesOf } from '../ingest/sources/file-lines.js';

/** The lines of standard input that are not empty. */
export async function* inputLines(): AsyncGenerator<string> {
  for await (const line of linesOf(process.stdin, 'stdin')) if (line.trim() !== '') yield line;
}

/** False for pipes, sockets and devices, which give their bytes once; what is no file at all is left to its reader. */
export async function canBeReadAgain(file: string): Promise<boolean> {
  return stat(file).then(
    (found) => found.isFile() || found.isDirectory(),
    () => true,
  );
}

/**
 * Keeps the bytes of a stream in a temporary file while `work` runs. On Linux the file has no name by then,
 * so that a process that is killed leaves nothing of the conversation behind.
 */
export async function withSpool<T>(
  chunks: AsyncIterable<unknown>,
  work: (file: string) => Promise<T>,
): Promise<T> {
  const { folder, file, descriptor } = openSpool();
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const nameless = process.platform === 'linux';
    if (nameless) remove();
    for await (const chunk of chunks) write(descriptor, Buffer.from(chunk as Buffer | string));
    return await work(nameless ? `/proc/self/fd/${descriptor}` : file);
  } finally {
    closeSync(descriptor);
    remove();
  }
}

function openSpool(): { folder: string; file: string; descriptor: number } {
  try {
    const folder = mkdtempSync(join(tmpdir(), 'ontomem-input-'));
    const file = join(folder, 'input');
    return { folder, file, descriptor: openSync(file, 'wx+', 0o600) };
  } catch (cause) {
    throw unwritable(cause);
  }
}

function write(descriptor: number, chunk: Buffer): void {
  try {
    for (let done = 0; done < chunk.length; ) done += writeSync(descriptor, chunk, done);
  } catch (cause) {
    throw unwritable(cause);
  }
}

function unwritable(cause: unknown): OntomemError {
  return new OntomemError('STORE_UNWRITABLE', {
    input: tmpdir(),
    problem: `the input cannot be kept there while it is checked (${reasonOf(cause)})`,
    cure: 'free space in the folder for temporary files, or set TMPDIR to another one',
    cause,
  });
}
