// Every step that can fail fails once, at every call: a typed error or a right result, and right answers after.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { OntomemError } from '../../src/errors.js';
import { type Memory, openMemory } from '../../src/memory/memory.js';
import type { FaultPoint } from '../../src/store/faults.js';
import { all } from '../support/expecting.js';
import { ADA, BO, idsOf, newStorePath, ranking, someTurns } from '../support/memories.js';
import { TinyEncoder } from '../support/tiny-encoder.js';

const test = suite('faults');
/** A verb is tried with a fault at these of its steps of a kind, until it has no such step left. */
const STEPS = [1, 2, 3, 4, 6, 9, 14, 25];

const uncaught: unknown[] = [];
process.on('uncaughtException', (error) => uncaught.push(error));
process.on('unhandledRejection', (error) => uncaught.push(error));

/** Lets the n-th step of a kind fail. */
class Fault {
  point: FaultPoint | 'encode' | undefined;
  left = 0;
  hit = false;

  arm(point: FaultPoint | 'encode', nth: number): void {
    this.point = point;
    this.left = nth;
    this.hit = false;
  }

  disarm(): void {
    this.point = undefined;
  }

  step(point: FaultPoint | 'encode'): void {
    if (point !== this.point || --this.left !== 0) return;
    this.hit = true;
    throw Object.assign(new Error(`injected at ${point}`), { code: 'EIO' });
  }
}

interface Verb {
  name: string;
  points: ReadonlyArray<FaultPoint | 'encode'>;
  run: (memory: Memory, archive: unknown[]) => Promise<unknown>;
  /** What may be stored of ADA afterwards, besides the 20 turns before. */
  after: (done: boolean) => string[][];
}

const before = Array.from({ length: 20 }, (_, n) => `t${n}`);
const without = (...ids: string[]) => before.filter((id) => !ids.includes(id));

const VERBS: Verb[] = [
  {
    name: 'observe',
    points: ['read', 'range', 'commit', 'stat', 'encode'],
    run: (memory) => memory.observe({ scope: ADA, turns: someTurns(2, 20) }),
    after: (done) => (done ? [[...before, 't20', 't21']] : [before]),
  },
  {
    name: 'amend',
    points: ['read', 'commit', 'stat'],
    run: (memory) => memory.amend({ scope: ADA, turn: 't3', meta: { note: 'amended' } }),
    after: () => [before],
  },
  {
    name: 'forget a turn',
    points: ['read', 'range', 'commit', 'stat'],
    run: (memory) => memory.forget({ scope: ADA, turn: 't7' }),
    // The forget may be durable although looking whether to compact failed.
    after: (done) => (done ? [without('t7')] : [before, without('t7')]),
  },
  {
    name: 'forget a session',
    points: ['read', 'range', 'commit', 'stat'],
    run: (memory) => memory.forget({ scope: ADA, session: 'default' }),
    after: (done) => (done ? [[]] : [before, []]),
  },
  {
    name: 'import',
    points: ['read', 'range', 'commit', 'stat', 'spool'],
    run: (memory, archive) => memory.import({ records: archive, scope: BO }),
    after: () => [before],
  },
  {
    name: 'compact',
    points: ['read', 'range', 'stat', 'compact-copy', 'compact-sync', 'compact-rename', 'compact-reopen'],
    run: (memory) => memory.compact(),
    after: () => [before],
  },
  {
    name: 'turns',
    points: ['read', 'range', 'stat'],
    run: (memory) => all(memory.turns({ scope: ADA })),
    after: () => [before],
  },
  {
    name: 'stats',
    points: ['read', 'range', 'stat'],
    run: (memory) => memory.stats({ scope: ADA }),
    after: () => [before],
  },
];

async function filled(fault: Fault): Promise<{ memory: Memory; archive: unknown[]; path: string }> {
  const path = newStorePath();
  const encoder = new TinyEncoder({ before: async () => fault.step('encode') });
  const memory = await openMemory({ path, encoder }, { faults: (point) => fault.step(point) });
  await memory.observe({ scope: ADA, turns: someTurns(20) });
  return { memory, archive: await all(memory.export({ scope: ADA })), path };
}

for (const verb of VERBS) {
  for (const point of verb.points) {
    test(`${verb.name}: a failing ${point}, wherever it comes`, async () => {
      for (const nth of STEPS) {
        const fault = new Fault();
        const { memory, archive, path } = await filled(fault);
        fault.arm(point, nth);
        let done = true;
        try {
          await verb.run(memory, archive);
        } catch (error) {
          done = false;
          const known = error instanceof OntomemError || point === 'encode';
          assert.ok(known, `${point} ${nth}: ${error instanceof Error ? error.stack : String(error)}`);
        }
        const hit = fault.hit;
        fault.disarm();
        const allowed = verb.after(done);
        const found = await idsOf(memory, ADA);
        assert.ok(
          allowed.some((ids) => JSON.stringify(ids) === JSON.stringify(found)),
          `${point} ${nth}: ${found.join(' ')}`,
        );
        // It goes on as if nothing had been.
        await memory.observe({ scope: ADA, turns: someTurns(1, 40) });
        const [first = ''] = await ranking(memory, ADA, 'word40', 1);
        assert.ok(first.startsWith('t40 '), first);
        assert.equal((await memory.import({ records: archive, scope: BO })).scope, BO);
        assert.equal(await idsOf(memory, BO), before);
        await memory.compact();
        await memory.close();
        const again = await openMemory({ path, encoder: new TinyEncoder() });
        assert.equal(await idsOf(again, ADA), [...found, 't40']);
        await again.close();
        if (!hit) break;
      }
      assert.equal(uncaught, []);
    });
  }
}

for (const point of ['open', 'read', 'commit', 'stat'] as const) {
  test(`opening: a failing ${point} is a typed error, and the next opening works`, async () => {
    for (const nth of STEPS) {
      const path = newStorePath();
      const fault = new Fault();
      fault.arm(point, nth);
      try {
        await (
          await openMemory({ path, encoder: new TinyEncoder() }, { faults: (at) => fault.step(at) })
        ).close();
      } catch (error) {
        assert.instance(error, OntomemError);
      }
      const memory = await openMemory({ path, encoder: new TinyEncoder() });
      await memory.observe({ scope: ADA, turns: someTurns(1) });
      await memory.close();
      if (!fault.hit) break;
    }
  });
}

test.run();
