// ontomem ingest: a file of conversations into the store.
import { createReadStream } from 'node:fs';
import { extname } from 'node:path';
import { z } from 'zod';
import { bytesOf } from '../../ingest/sources/file-lines.js';
import {
  openSource,
  SOURCE_FORMATS,
  type Source,
  type SourceFormat,
} from '../../ingest/sources/read-source.js';
import type { Memory } from '../../memory/memory.js';
import { type Command, type Invocation, SCOPE, STORE, UsageError } from '../command.js';
import { oneLine, print, printJson, progress } from '../output.js';
import { scopeOf, withMemory } from '../session.js';
import { canBeReadAgain, withSpool } from '../standard-input.js';

/** Turns of one session that go to the encoder together. */
const BATCH = 256;

interface Report {
  format: SourceFormat;
  turns: number;
  stored: number;
  unchanged: number;
  rejected: Array<{ id: string | undefined; code: string; message: string }>;
  seconds: number;
  turnsPerSecond: number;
}

export const ingest: Command = {
  name: 'ingest',
  words: 'FILE',
  summary:
    'Stores the turns of a file: ontomem JSONL, LoCoMo JSON, a ChatGPT export, or chat text (Name: line). - reads stdin.',
  example: 'ontomem ingest chat.txt --user ada --session spring',
  options: {
    ...STORE,
    ...SCOPE,
    session: { type: 'string', value: 'NAME', help: 'session of turns that name none', default: 'default' },
    format: {
      type: 'string',
      value: 'FORMAT',
      help: `${SOURCE_FORMATS.join(', ')}; told from the file when absent`,
    },
  },
  async run(invocation) {
    const [file, ...rest] = invocation.words;
    if (file === undefined || rest.length > 0) throw new UsageError('ingest takes one FILE');
    const report = await ingestWords(invocation, file, formatOf(invocation));
    if (invocation.flag('json')) printJson(report);
    else printReport(report);
    if (report.rejected.length > 0) process.exitCode = 1;
  },
};

/** Sources are read twice, to be checked and to be stored: what gives its bytes once is kept meanwhile. */
async function ingestWords(
  invocation: Invocation,
  word: string,
  format: SourceFormat | undefined,
): Promise<Report> {
  if (word !== '-' && (await canBeReadAgain(word))) return ingestFile(invocation, word, format, word);
  const [chunks, name] = word === '-' ? [process.stdin, 'stdin'] : [createReadStream(word), word];
  // A name without an ending, such as that of standard input, says nothing.
  const known = format ?? (extname(name) === '' ? 'jsonl' : undefined);
  return withSpool(bytesOf(chunks, name), (file) => ingestFile(invocation, file, known, name));
}

async function ingestFile(
  invocation: Invocation,
  file: string,
  format: SourceFormat | undefined,
  name: string,
): Promise<Report> {
  const defaults = { scope: scopeOf(invocation), session: invocation.text('session') ?? 'default' };
  const source = await openSource(file, defaults, format, name);
  return withMemory(invocation, (memory) => store(memory, source));
}

async function store(memory: Memory, source: Source): Promise<Report> {
  const bar = progress(`ingest ${source.format}`, source.turns);
  const report = { stored: 0, unchanged: 0, rejected: [] as Report['rejected'] };
  const started = performance.now();
  try {
    for await (const { scope, session, turns } of source.batches()) {
      for (let start = 0; start < turns.length; start += BATCH) {
        const batch = turns.slice(start, start + BATCH);
        const observed = await memory.observe({ scope, session, turns: batch, onInvalid: 'report' });
        for (const receipt of observed.turns) {
          if (receipt.status === 'rejected')
            report.rejected.push({ id: receipt.id, code: receipt.code, message: receipt.message });
          else report[receipt.status]++;
        }
        bar.advance(batch.length);
      }
    }
  } finally {
    bar.stop();
  }
  const seconds = (performance.now() - started) / 1000;
  return {
    format: source.format,
    turns: source.turns,
    ...report,
    seconds: Number(seconds.toFixed(2)),
    turnsPerSecond: Math.round(source.turns / Math.max(seconds, 1e-3)),
  };
}

function formatOf(invocation: Invocation): SourceFormat | undefined {
  const given = invocation.text('format');
  if (given === undefined) return undefined;
  const parsed = z.enum(SOURCE_FORMATS).safeParse(given);
  if (!parsed.success)
    throw new UsageError(`--format is one of ${SOURCE_FORMATS.join(', ')}, not '${given}'`);
  return parsed.data;
}

function printReport(report: Report): void {
  print(
    `${report.stored} turns stored, ${report.unchanged} already there, in ${report.seconds} s (${report.turnsPerSecond} turns/s)`,
  );
  for (const { id, code, message } of report.rejected)
    print(oneLine(`rejected ${id ?? '(no id)'} ${code}: ${message}`, Infinity));
}
