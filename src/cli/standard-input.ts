// Standard input as lines, or as a file for readers that need to see it twice.
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';

/** The lines of standard input that are not empty. */
export async function* inputLines(): AsyncGenerator<string> {
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    if (line.trim() !== '') yield line;
  }
}

/** Keeps standard input in a temporary file named like `name` while `work` runs. */
export async function withInputFile<T>(name: string, work: (file: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'ontomem-input-'));
  const file = join(folder, name);
  try {
    await pipeline(process.stdin, createWriteStream(file));
    return await work(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
