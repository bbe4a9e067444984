// A file of any known format -> batches of turns. The whole file is checked before the first batch leaves.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { z } from 'zod';
import { OntomemError, reasonOf } from '../../errors.js';
import { chatTextBatches } from './chat-text.js';
import { chatgptBatches } from './chatgpt.js';
import { fileLines, unreadable } from './file-lines.js';
import { jsonlBatches } from './jsonl.js';
import { locomoBatches } from './locomo.js';
import type { SourceBatch, SourceDefaults } from './source.js';

export const SOURCE_FORMATS = ['jsonl', 'locomo', 'chat', 'chatgpt'] as const;
export type SourceFormat = (typeof SOURCE_FORMATS)[number];

/** Read of a file that does not say how long it is, or that grows meanwhile. */
const MOST_UNTOLD_BYTES = 64 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;

export interface Source {
  format: SourceFormat;
  /** Turns in the file, counted while it was checked. */
  turns: number;
  batches(): AsyncGenerator<SourceBatch>;
}

/**
 * Opens a file as a source of turns; without `format` it is told by name and content. `name` is what the caller
 * calls the file. JSONL is read twice, line by line, in constant memory; the other formats are read whole.
 * @throws NOT_FOUND, SOURCE_INVALID and SOURCE_TRUNCATED, naming the file and the place.
 */
export async function openSource(
  file: string,
  defaults: SourceDefaults,
  format?: SourceFormat,
  name = file,
): Promise<Source> {
  const known = format ?? formatOf(file, name);
  if (known === 'jsonl') {
    const read = () => jsonlBatches(fileLines(file, name), name, defaults);
    let turns = 0;
    for await (const batch of read()) turns += batch.turns.length;
    return { format: known, turns, batches: read };
  }
  const batches = readWhole(file, defaults, known, name);
  const turns = batches.reduce((sum, batch) => sum + batch.turns.length, 0);
  return {
    format: known,
    turns,
    async *batches() {
      yield* batches;
    },
  };
}

/** Parses a JSON file; a file that stops in the middle is told apart from one that is wrong. */
export function readJsonFile(file: string, name = file): unknown {
  const text = readText(file, name);
  try {
    return JSON.parse(text);
  } catch (error) {
    const message = reasonOf(error);
    const cut = stopsAtItsEnd(text, message);
    throw new OntomemError(cut ? 'SOURCE_TRUNCATED' : 'SOURCE_INVALID', {
      input: name,
      problem: cut ? 'ends in the middle of its JSON' : `is not JSON (${message})`,
      cause: error,
    });
  }
}

/** The parser was content up to the last character: the file is cut, not wrong. */
function stopsAtItsEnd(text: string, message: string): boolean {
  if (text.trim() === '' || /end of JSON/i.test(message)) return true;
  const position = /at position (\d+)/.exec(message)?.[1];
  return position !== undefined && Number(position) >= text.trimEnd().length;
}

function readWhole(
  file: string,
  defaults: SourceDefaults,
  format: Exclude<SourceFormat, 'jsonl'>,
  name: string,
): SourceBatch[] {
  switch (format) {
    case 'locomo':
      return locomoBatches(readJsonFile(file, name), name, defaults);
    case 'chatgpt':
      return chatgptBatches(readJsonFile(file, name), name, defaults);
    case 'chat':
      return chatTextBatches(readText(file, name), name, defaults);
  }
}

function formatOf(file: string, name: string): SourceFormat {
  if (/\.(jsonl|ndjson)$/i.test(name)) return 'jsonl';
  if (!/\.json$/i.test(name)) return 'chat';
  const entries = z.array(z.looseObject({})).safeParse(readJsonFile(file, name));
  const first = entries.success ? entries.data[0] : undefined;
  if (first !== undefined && 'mapping' in first) return 'chatgpt';
  if (first !== undefined && 'conversation' in first) return 'locomo';
  throw new OntomemError('SOURCE_INVALID', {
    input: name,
    problem: 'is neither LoCoMo nor a ChatGPT export',
    cure: `name its format: ${SOURCE_FORMATS.join(', ')}`,
  });
}

/** As much as the file says it has: some of those that the system makes up say nothing and never end. */
function readText(file: string, name: string): string {
  try {
    const descriptor = openSync(file, 'r');
    try {
      const most = Math.max(fstatSync(descriptor).size, MOST_UNTOLD_BYTES);
      const chunks: Buffer[] = [];
      for (let left = most, chunk = read(descriptor); chunk.length > 0; chunk = read(descriptor)) {
        left -= chunk.length;
        if (left < 0) throw new Error(`has more than the ${most} bytes it may have`);
        chunks.push(chunk);
      }
      return Buffer.concat(chunks).toString('utf8');
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    throw unreadable(name, error);
  }
}

function read(descriptor: number): Buffer {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  return chunk.subarray(0, readSync(descriptor, chunk));
}
