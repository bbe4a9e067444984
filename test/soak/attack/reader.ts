// A reader of the attack: opens, compares what it reads with the ledger, recalls, closes, again and again.
import { setTimeout as wait } from 'node:timers/promises';
import type { Memory } from '../../../src/memory/memory.js';
import { openMemory } from '../../../src/memory/memory.js';
import { TinyEncoder } from '../../support/tiny-encoder.js';
import { LedgerReader, type Promised } from './ledger.js';
import { say, sayError } from './report.js';
import { scopeOf, textOf, USERS } from './writer.js';

/** Before the first commit there is no store; on a full disk there is no room for a reader's place. */
const EXPECTED = ['NOT_FOUND', 'STORE_UNWRITABLE'];
/** Reads with one opening before it closes. */
const MOST_READS = 3;

/** In a large store most openings only count. */
const COUNT_ABOVE = 1000;
const COMPARE_ONE_IN = 20;

export interface ReaderOptions {
  path: string;
  ledger: string;
}

/** Reads until it is ended. */
export async function read({ path, ledger }: ReaderOptions): Promise<void> {
  const marks = new LedgerReader(ledger);
  for (;;) {
    try {
      const memory = await openMemory({ path, encoder: new TinyEncoder(), readOnly: true });
      for (let reads = Math.random() * MOST_READS; reads > 0; reads--) await lookOnce(memory, marks);
      await memory.close();
      say({ calls: 2 });
    } catch (error) {
      sayError(error, EXPECTED, 'reader');
      await wait(20);
    }
  }
}

async function lookOnce(memory: Memory, marks: LedgerReader): Promise<void> {
  marks.read();
  const large = USERS.some((user) => marks.of(user).highest > COUNT_ABOVE);
  if (!large || Math.random() * COMPARE_ONE_IN < 1) return readOnce(memory, marks);
  for (const user of USERS) {
    const stored = marks.of(user).stored.size;
    const { turns } = await memory.stats({ scope: scopeOf(user) });
    marks.read();
    const least = stored - marks.of(user).forgetting.size;
    if (turns < least) say({ losses: least - turns }, `${user}: ${turns} turns, at least ${least} promised`);
    say({ calls: 1 });
  }
}

/** Compares every user's turns, and one recall, with what was promised before and after. */
export async function readOnce(memory: Memory, marks: LedgerReader, report = say): Promise<void> {
  marks.read();
  for (const user of USERS) {
    const before = copyOf(marks.of(user));
    const found = new Set<number>();
    for await (const turn of memory.turns({ scope: scopeOf(user) })) {
      const n = numberOf(turn.id, user);
      if (n === undefined || turn.text !== textOf(user, n)) {
        report({ wrong: 1 }, `${user}: ${turn.id} is ${JSON.stringify(turn.text)}`);
      } else if (found.has(n)) report({ wrong: 1 }, `${user}: ${turn.id} twice`);
      else found.add(n);
    }
    await recallOnce(memory, user, before, report);
    marks.read();
    const after = marks.of(user);
    for (const n of before.stored) {
      if (!found.has(n) && !after.forgetting.has(n)) report({ losses: 1 }, `${user}: ${n} is gone`);
    }
    for (const n of before.forgotten) {
      if (found.has(n)) report({ wrong: 1 }, `${user}: forgotten ${n} came back`);
    }
    report({ calls: 2 });
  }
}

async function recallOnce(memory: Memory, user: string, before: Promised, report: typeof say) {
  const n = Math.floor(Math.random() * (before.highest + 1));
  const { evidence } = await memory.recall({ scope: scopeOf(user), query: `word${n}`, limit: 5 });
  for (const { turnId, text } of evidence) {
    const found = numberOf(turnId, user);
    if (found === undefined || text !== textOf(user, found)) {
      report({ wrong: 1 }, `${user}: recall gave ${turnId} ${JSON.stringify(text)}`);
    } else if (before.forgotten.has(found)) report({ wrong: 1 }, `${user}: recall gave forgotten ${turnId}`);
  }
}

function numberOf(id: string, user: string): number | undefined {
  return id.startsWith(`${user}-`) ? Number(id.slice(user.length + 1)) : undefined;
}

function copyOf({ stored, forgetting, forgotten, highest }: Promised): Promised {
  return {
    stored: new Set(stored),
    forgetting: new Set(forgetting),
    forgotten: new Set(forgotten),
    highest,
  };
}
