// Closing: what was asked for is finished, what comes later is refused, nothing crashes.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Memory } from '../../src/memory/memory.js';
import { all, failure, present } from '../support/expecting.js';
import { ADA, BO, idsOf, newStorePath, openTiny, someTurns, turnsOf } from '../support/memories.js';
import { TinyEncoder } from '../support/tiny-encoder.js';

const test = suite('close');

test('every verb of a closed memory is STORE_CLOSED, and closing twice is fine', async () => {
  const memory = await openTiny();
  await memory.observe({ scope: ADA, turns: someTurns(3) });
  const archive = await all(memory.export({ scope: ADA }));
  await Promise.all([memory.close(), memory.close()]);
  await memory.close();
  const verbs: Array<(memory: Memory) => unknown> = [
    (m) => m.observe({ scope: ADA, turns: someTurns(1) }),
    (m) => m.recall({ scope: ADA, query: 'tea' }),
    (m) => m.recallMany([{ scope: ADA, query: 'tea' }]),
    (m) => all(m.turns({ scope: ADA })),
    (m) => m.amend({ scope: ADA, turn: 't0', meta: {} }),
    (m) => m.forget({ scope: ADA, everything: true }),
    (m) => all(m.export({ scope: ADA })),
    (m) => m.import({ records: archive }),
    (m) => m.stats(),
  ];
  for (const verb of verbs) await failure('STORE_CLOSED', () => verb(memory));
});

test('close waits for what was asked for before it: observes, recalls and imports', async () => {
  const path = newStorePath();
  const slow = { encoder: new TinyEncoder({ before: () => new Promise((done) => setTimeout(done, 30)) }) };
  const memory = await openTiny({ path, ...slow });
  await memory.observe({ scope: ADA, turns: someTurns(5) });
  const archive = await all(memory.export({ scope: ADA }));
  const asked = [
    memory.observe({ scope: ADA, turns: someTurns(5, 5) }),
    memory.observe({ scope: ADA, turns: someTurns(5, 10) }),
    memory.recall({ scope: ADA, query: 'tea in the garden' }),
    memory.recallMany([{ scope: ADA, query: 'tea in the garden' }]),
    memory.import({ records: archive, scope: BO }),
    memory.forget({ scope: ADA, turn: 't0' }),
  ] as const;
  const closed = memory.close();
  await failure('STORE_CLOSED', () => memory.observe({ scope: ADA, turns: someTurns(1, 50) }));
  const [, , recall, , imported] = await Promise.all(asked);
  assert.ok(recall.evidence.length > 0);
  assert.is(imported.stored, 5);
  await closed;
  await using again = await openTiny({ path });
  assert.equal(
    await idsOf(again, ADA),
    Array.from({ length: 14 }, (_, n) => `t${n + 1}`),
  );
  assert.is((await turnsOf(again, BO)).length, 5);
});

test('close waits for a recall and for an import that stand alone', async () => {
  const delay = () => new Promise<void>((done) => setTimeout(done, 50));
  const path = newStorePath();
  const first = await openTiny({ path });
  await first.observe({ scope: ADA, turns: someTurns(5) });
  const archive = await all(first.export({ scope: ADA }));
  await first.close();
  const second = await openTiny({ path, encoder: new TinyEncoder({ before: delay }) });
  const recalled = second.recall({ scope: ADA, query: 'tea in the garden' });
  await second.close();
  assert.ok((await recalled).evidence.length > 0);
  // Another encoder: the import encodes again, which takes its time.
  const other = new TinyEncoder({ seed: 2, before: delay });
  const third = await openTiny({ encoder: other });
  const imported = third.import({ records: archive });
  await third.close();
  assert.is((await imported).stored, 5);
});

test('an iterator that outlives its memory ends with STORE_CLOSED', async () => {
  const memory = await openTiny();
  await memory.observe({ scope: ADA, turns: someTurns(50) });
  const turns = memory.turns({ scope: ADA });
  const records = memory.export({ scope: ADA });
  assert.is(present((await turns.next()).value).id, 't0');
  for (let n = 0; n < 3; n++) await records.next();
  await memory.close();
  await failure('STORE_CLOSED', () => turns.next());
  await failure('STORE_CLOSED', () => records.next());
});

test('an iterator goes on while the memory is written to', async () => {
  await using memory = await openTiny();
  await memory.observe({ scope: ADA, turns: someTurns(200) });
  const seen: string[] = [];
  for await (const { id } of memory.turns({ scope: ADA })) {
    seen.push(id);
    if (seen.length === 10) await memory.forget({ scope: ADA, turn: 't150' });
    if (seen.length === 20) await memory.observe({ scope: ADA, turns: someTurns(100, 200) });
  }
  assert.not.ok(seen.includes('t150'), 'what is forgotten is not handed out any more');
  assert.is(new Set(seen).size, seen.length);
  for (const id of ['t0', 't149', 't151', 't199']) assert.ok(seen.includes(id), id);
});

test('the memory closes an encoder it opened and leaves one it was given', async () => {
  const encoder = new TinyEncoder();
  const memory = await openTiny({ encoder });
  await memory.close();
  assert.is(encoder.closed, false);
});

test.run();
