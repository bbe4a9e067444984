// The writer of the attack: observes, forgets, compacts, exports and imports, and keeps the ledger.
import { setTimeout as wait } from 'node:timers/promises';
import type { Memory } from '../../../src/memory/memory.js';
import { openMemory } from '../../../src/memory/memory.js';
import { TinyEncoder } from '../../support/tiny-encoder.js';
import { LedgerReader, LedgerWriter } from './ledger.js';
import { say, sayError } from './report.js';

export const USERS = ['ada', 'bo', 'cy'] as const;
const MOST_TURNS = 4;
const MOST_TURNS_PLAIN = 20;
const MOST_WAIT_MS = 4;
/** One call in so many is something else than an observe. */
const FORGET_EVERY = 8;
const COMPACT_EVERY = 150;
const IMPORT_EVERY = 60;
/** What a full disk or a predecessor that still closes may say. */
const EXPECTED = ['STORE_UNWRITABLE', 'STORE_LOCKED'];

export interface WriterOptions {
  path: string;
  ledger: string;
  /** Ends by itself after so many acknowledged turns. */
  turns?: number;
  /** Observes only: the plain attack of openings on acknowledgements. */
  plain?: boolean;
}

export function scopeOf(user: string) {
  return { tenant: 'soak', user };
}

/** The only text that turn `n` of `user` may have. */
export function textOf(user: string, n: number): string {
  return `${user} said word${n} about ${'the garden and the sea '.repeat(1 + (n % 5))}`.trim();
}

function turnOf(user: string, n: number) {
  return { id: `${user}-${n}`, speaker: user, text: textOf(user, n), at: 1_700_000_000_000 + n * 1000 };
}

function oneIn(count: number): boolean {
  return Math.random() * count < 1;
}

/** Writes until it is ended, or until `turns` are acknowledged. */
export async function write({
  path,
  ledger,
  turns = Number.POSITIVE_INFINITY,
  plain = false,
}: WriterOptions) {
  const read = new LedgerReader(ledger);
  read.read();
  const marks = new LedgerWriter(ledger);
  const next = new Map(USERS.map((user) => [user, read.of(user).highest + 1]));
  const memory = await opened(path);
  let acknowledged = 0;
  while (acknowledged < turns) {
    const user = USERS[Math.floor(Math.random() * USERS.length)] ?? 'ada';
    const from = next.get(user) ?? 0;
    try {
      if (!plain && from > 0 && oneIn(FORGET_EVERY)) await forgetOne(memory, marks, user, from);
      else if (!plain && oneIn(COMPACT_EVERY)) await memory.compact();
      else if (!plain && oneIn(IMPORT_EVERY)) await importSame(memory, user);
      else {
        const most = plain ? MOST_TURNS_PLAIN : MOST_TURNS;
        const numbers = Array.from({ length: 1 + Math.floor(Math.random() * most) }, (_, k) => from + k);
        next.set(user, from + numbers.length);
        marks.mark('begun', user, numbers);
        await memory.observe({ scope: scopeOf(user), turns: numbers.map((n) => turnOf(user, n)) });
        marks.mark('stored', user, numbers);
        acknowledged += numbers.length;
        say({ acknowledged: numbers.length });
      }
      say({ calls: 1 });
    } catch (error) {
      sayError(error, EXPECTED, 'writer');
      await wait(20);
    }
    await wait(Math.random() * MOST_WAIT_MS);
  }
  await memory.close();
  marks.close();
}

async function opened(path: string): Promise<Memory> {
  for (;;) {
    try {
      return await openMemory({ path, encoder: new TinyEncoder() });
    } catch (error) {
      sayError(error, EXPECTED, 'writer opening');
      await wait(50);
    }
  }
}

/** Forgets a turn that may or may not be stored. */
async function forgetOne(memory: Memory, marks: LedgerWriter, user: string, below: number): Promise<void> {
  const n = Math.floor(Math.random() * below);
  marks.mark('forgetting', user, [n]);
  try {
    await memory.forget({ scope: scopeOf(user), turn: `${user}-${n}` });
  } catch (error) {
    if ((error as { code?: string }).code !== 'NOT_FOUND') throw error;
  }
  marks.mark('forgotten', user, [n]);
}

/** Exports a user and imports the archive again: nothing changes. */
async function importSame(memory: Memory, user: string): Promise<void> {
  const records: unknown[] = [];
  try {
    for await (const record of memory.export({ scope: scopeOf(user) })) records.push(record);
  } catch (error) {
    if ((error as { code?: string }).code === 'NOT_FOUND') return;
    throw error;
  }
  const { stored } = await memory.import({ records });
  if (stored !== 0) say({ wrong: 1 }, `an import of what is stored stored ${stored}`);
}
