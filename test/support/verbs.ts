// Every verb of a memory under faults: run once to count the steps that can fail, then with each of them failing.
import * as assert from 'uvu/assert';
import type { Memory } from '../../src/memory/memory.js';
import { all } from './expecting.js';
import { ADA, BO, idsOf, newStorePath, ranking, someTurns } from './memories.js';

/** What lets steps fail, and the memory it is built into. */
export interface Faulting {
  open(path: string): Promise<Memory>;
  /** From now on steps are counted and the n-th fails; with 0 none does. */
  arm(nth: number): void;
  /** Nothing fails any more; which of the steps that were counted are to fail, one by one. */
  disarm(): readonly number[];
  /** Whether a caller may get this error. */
  isTyped(error: unknown): boolean;
}

export interface Verb {
  name: string;
  /** Turns t0, t1, ... of ADA that are stored before; 20 when absent. More than 256 fill a segment. */
  turns?: number;
  /** What else happens before, without faults. */
  prepare?: (memory: Memory) => Promise<unknown>;
  run: (memory: Memory, archive: readonly unknown[]) => Promise<unknown>;
  /** What may be stored of ADA afterwards; `before` alone when absent. `done`: the verb did not fail. */
  after?: (before: readonly string[], done: boolean) => ReadonlyArray<readonly string[]>;
  /** It gives the same when it is run again. */
  isRepeatable?: boolean;
  /** It is done without the step that failed: segments are packed behind turns that are stored. */
  mayDoWithout?: boolean;
}

/** Enough for a segment and rows behind it. */
const MANY = 270;
const QUERY = { scope: ADA, query: 'the violin lesson word7 and trio2', limit: 20 };

export const VERBS: readonly Verb[] = [
  {
    name: 'observe',
    run: (memory) => memory.observe({ scope: ADA, turns: someTurns(2, 20) }),
    after: (before, done) => (done ? [[...before, 't20', 't21']] : [before]),
  },
  {
    name: 'an observe that fills a segment',
    mayDoWithout: true,
    turns: 250,
    run: (memory) => memory.observe({ scope: ADA, turns: someTurns(10, 250) }),
    after: (before, done) => [done ? [...before, ...someTurns(10, 250).map(({ id }) => id ?? '')] : before],
  },
  {
    name: 'a recall that loads',
    turns: MANY,
    run: (memory) => memory.recall(QUERY),
    isRepeatable: true,
  },
  {
    name: 'a recall that follows what came and went',
    turns: MANY,
    prepare: async (memory) => {
      await memory.recall(QUERY);
      await memory.observe({ scope: ADA, turns: someTurns(3, MANY) });
      await memory.forget({ scope: ADA, turn: 't7' });
    },
    run: (memory) => memory.recall(QUERY),
    isRepeatable: true,
  },
  {
    name: 'recallMany with a filter',
    prepare: (memory) => memory.observe({ scope: BO, session: 'one', turns: someTurns(20) }),
    run: (memory) =>
      memory.recallMany([
        QUERY,
        { ...QUERY, scope: BO, filter: { session: 'one', speaker: 'Bo' }, explain: true },
      ]),
    isRepeatable: true,
  },
  {
    name: 'amend',
    run: (memory) => memory.amend({ scope: ADA, turn: 't3', meta: { note: 'amended' } }),
    isRepeatable: true,
  },
  {
    name: 'forget a turn',
    prepare: (memory) => memory.recall(QUERY),
    run: (memory) => memory.forget({ scope: ADA, turn: 't7' }),
    // It may be durable although looking whether to compact failed.
    after: (before, done) =>
      only(
        before,
        before.filter((id) => id !== 't7'),
        done,
      ),
  },
  {
    name: 'forget a session',
    run: (memory) => memory.forget({ scope: ADA, session: 'default' }),
    after: (before, done) => only(before, [], done),
  },
  {
    name: 'forget a user',
    prepare: (memory) => memory.recall(QUERY),
    run: (memory) => memory.forget({ scope: ADA, everything: true }),
    after: (before, done) => only(before, [], done),
  },
  {
    name: 'import',
    run: (memory, archive) => memory.import({ records: archive, scope: BO }),
    isRepeatable: true,
  },
  { name: 'compact', run: (memory) => memory.compact(), isRepeatable: true },
  { name: 'turns', run: (memory) => all(memory.turns({ scope: ADA })), isRepeatable: true },
  { name: 'export', run: (memory) => all(memory.export({ scope: ADA })), isRepeatable: true },
  { name: 'stats', run: (memory) => memory.stats({ scope: ADA }), isRepeatable: true },
  {
    name: 'close',
    prepare: (memory) => memory.forget({ scope: ADA, turn: 't7' }),
    run: (memory) => memory.close(),
  },
];

function only(before: readonly string[], after: readonly string[], done: boolean) {
  return done ? [after] : [before, after];
}

/** Returns how many of the steps made the verb fail. @throws what is wrong after which step. */
export async function everyStepFailsOnce(verb: Verb, faulting: Faulting): Promise<number> {
  const { steps } = await attempt(verb, faulting, 0);
  assert.ok(steps.length > 0, 'the verb has steps');
  let failed = 0;
  for (const nth of steps) if (!(await attempt(verb, faulting, nth)).done) failed++;
  return failed;
}

/** Each step of an opening fails once; the next opening works. */
export async function everyStepOfOpeningFails(faulting: Faulting): Promise<void> {
  const open = async (path: string, nth: number) => {
    faulting.arm(nth);
    try {
      await (await faulting.open(path)).close();
    } catch (error) {
      assert.ok(faulting.isTyped(error), `step ${nth}: ${String(error)}`);
    }
    return faulting.disarm();
  };
  for (const nth of await open(newStorePath(), 0)) {
    const path = newStorePath();
    await open(path, nth);
    const memory = await faulting.open(path);
    await memory.observe({ scope: ADA, turns: someTurns(1) });
    await memory.close();
  }
}

async function attempt(
  verb: Verb,
  faulting: Faulting,
  nth: number,
): Promise<{ steps: readonly number[]; done: boolean }> {
  const path = newStorePath();
  const memory = await faulting.open(path);
  await memory.observe({ scope: ADA, turns: someTurns(verb.turns ?? 20) });
  const archive = await all(memory.export({ scope: ADA }));
  await verb.prepare?.(memory);
  const before = await idsOf(memory, ADA);
  faulting.arm(nth);
  let done = true;
  try {
    await verb.run(memory, archive);
  } catch (error) {
    done = false;
    const said = error instanceof Error ? error.stack : String(error);
    assert.ok(nth > 0 && faulting.isTyped(error), `step ${nth}: ${said}`);
  }
  const steps = faulting.disarm();
  if (verb.name !== 'close') {
    const found = await idsOf(memory, ADA);
    const allowed = (verb.after ?? (() => [before]))(before, done);
    assert.ok(
      allowed.some((ids) => JSON.stringify(ids) === JSON.stringify(found)),
      `step ${nth}, done ${done}: ${found.join(' ')}`,
    );
    await goesOn(verb, memory, archive, found, nth);
  }
  const answered = verb.name === 'close' ? undefined : await answers(memory);
  const kept = verb.name === 'close' ? before : await idsOf(memory, ADA);
  await memory.close();
  const again = await faulting.open(path);
  assert.equal(await idsOf(again, ADA), kept, `step ${nth}, opened again`);
  if (answered !== undefined) assert.equal(await answers(again), answered, `step ${nth}, opened again`);
  await again.close();
  return { steps, done };
}

/** As if nothing had been. */
async function goesOn(
  verb: Verb,
  memory: Memory,
  archive: readonly unknown[],
  found: readonly string[],
  nth: number,
): Promise<void> {
  if (verb.isRepeatable) await verb.run(memory, archive);
  await memory.observe({ scope: ADA, turns: someTurns(1, 400) });
  const first = await ranking(memory, ADA, 'word400', 5);
  assert.ok(
    first.some((hit) => hit.startsWith('t400 ')),
    `step ${nth}: ${first.join(', ')}`,
  );
  assert.equal(await idsOf(memory, ADA), [...found, 't400'], `step ${nth}`);
}

async function answers(memory: Memory): Promise<string[]> {
  return [...(await ranking(memory, ADA, QUERY.query)), ...(await ranking(memory, BO, QUERY.query))];
}
