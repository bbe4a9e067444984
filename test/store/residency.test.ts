// What is in memory is always what is on the disk: after writing, forgetting, eviction, and in other processes.
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Scope } from '../../src/contract/scope.js';
import { type Memory, openMemory } from '../../src/memory/memory.js';
import type { VectorFormat } from '../../src/native/types.js';
import type { FaultPoint } from '../../src/store/faults.js';
import { present } from '../support/expecting.js';
import { ADA, idsOf, newStorePath, openTiny, ranking, someTurns } from '../support/memories.js';
import { Helper, killHelpers } from '../support/processes.js';
import { TinyEncoder } from '../support/tiny-encoder.js';

const test = suite('residency');
const QUERIES = ['tea in the garden', 'word17 trio4', 'violin lesson', 'old maps word3'];

/** Opens a copy of the store, which shares nothing in memory with the one that is open. */
async function openCopy(path: string): Promise<Memory> {
  const copy = newStorePath();
  mkdirSync(copy);
  copyFileSync(join(path, 'data.mdb'), join(copy, 'data.mdb'));
  return openTiny({ path: copy, readOnly: true });
}

async function answers(memory: Memory, scope: Scope): Promise<string[][]> {
  return Promise.all(QUERIES.map((query) => ranking(memory, scope, query, 100)));
}

test('a shard kept in memory through observes and forgets answers like one freshly loaded', async () => {
  const path = newStorePath();
  const kept = await openTiny({ path });
  let next = 0;
  const grow = async (count: number, session: string) => {
    await kept.observe({ scope: ADA, session, turns: someTurns(count, next) });
    next += count;
  };
  const steps: Array<() => Promise<unknown>> = [
    () => grow(30, 'a'),
    () => kept.forget({ scope: ADA, turn: 't29' }),
    () => grow(20, 'b'),
    () => kept.forget({ scope: ADA, turn: 't0' }),
    () => kept.forget({ scope: ADA, turn: 't35' }),
    () => grow(1, 'a'),
    () => kept.forget({ scope: ADA, session: 'b' }),
    () => grow(15, 'b'),
    () => kept.forget({ scope: ADA, everything: true }),
    () => grow(40, 'a'),
  ];
  for (const [place, step] of steps.entries()) {
    await step();
    const resident = await answers(kept, ADA);
    await using fresh = await openCopy(path);
    assertAlike(resident, await answers(fresh, ADA), `after step ${place}`);
  }
  await kept.close();
});

/** The same turns in the same order, scores within what another order of adding up changes. */
function assertAlike(kept: readonly string[][], fresh: readonly string[][], where: string): void {
  const ids = (lines: readonly string[][]) => lines.map((list) => list.map((line) => line.split(' ')[0]));
  assert.equal(ids(kept), ids(fresh), where);
  const scores = (lines: readonly string[][]) => lines.flat().map((line) => Number(line.split(' ')[1]));
  const others = scores(fresh);
  for (const [place, score] of scores(kept).entries()) {
    assert.ok(Math.abs(score - (others[place] ?? Number.NaN)) <= 2e-6, `${where}: ${kept.flat()[place]}`);
  }
}

test('eviction under a limit of one byte changes no answer', async () => {
  const path = newStorePath();
  const scopes = Array.from({ length: 12 }, (_, n) => ({ tenant: 't', user: `u${n}` }));
  const fill = async (memory: Memory) => {
    for (const [n, scope] of scopes.entries()) {
      await memory.observe({ scope, turns: someTurns(20 + n, n * 7) });
    }
  };
  await using roomy = await openTiny();
  await using tight = await openTiny({ path, limits: { residentBytes: 1 } });
  await fill(roomy);
  await fill(tight);
  for (const scope of [...scopes, ...scopes.toReversed()]) {
    assert.equal(await answers(tight, scope), await answers(roomy, scope));
    const others = await Promise.all(scopes.map((other) => tight.stats({ scope: other })));
    const resident = others.filter(({ residentBytes }) => residentBytes > 0);
    assert.is(resident.length, 1, 'only the one just used is in memory');
  }
});

test('scopes that are loaded at once under a limit smaller than one of them do not evict each other for ever', async () => {
  const path = newStorePath();
  const scopes = Array.from({ length: 3 }, (_, n) => ({ tenant: 't', user: `u${n}` }));
  {
    await using memory = await openTiny({ path });
    for (const scope of scopes) await memory.observe({ scope, turns: someTurns(200) });
  }
  // Every read takes so long that a load takes many slices.
  const slow = (point: FaultPoint) => {
    for (const end = performance.now() + 0.1; point === 'range' && performance.now() < end; );
  };
  const options = { path, encoder: new TinyEncoder(), limits: { residentBytes: 1 }, readOnly: true };
  await using memory = await openMemory(options, { faults: slow });
  const found = await memory.recallMany(scopes.map((scope) => ({ scope, query: 'word7 trio2' })));
  for (const { evidence } of found) assert.is(evidence[0]?.turnId, 't7');
});

test('a format of vectors changes the bytes in memory, and what is found by little or nothing', async () => {
  const path = newStorePath();
  const encoder = new TinyEncoder({ dimension: 256 });
  {
    await using memory = await openTiny({ path, encoder });
    await memory.observe({ scope: ADA, turns: someTurns(1200) });
  }
  const told = async (format: VectorFormat) => {
    await using memory = await openTiny({ path, encoder, format, readOnly: true });
    const best = await Promise.all(
      QUERIES.map(async (query) => (await memory.recall({ scope: ADA, query })).evidence),
    );
    const { residentBytes } = await memory.stats({ scope: ADA });
    return { best: best.flat().map(({ turnId }) => turnId), residentBytes };
  };
  const exact = await told('f32');
  const half = await told('bf16');
  const quantised = await told('int8');
  assert.ok(half.residentBytes < exact.residentBytes * 0.65);
  assert.ok(quantised.residentBytes < exact.residentBytes * 1.3);
  for (const { best } of [half, quantised]) {
    const shared = best.filter((id, place) => id === exact.best[place]);
    assert.ok(shared.length >= exact.best.length * 0.9, `${shared.length} of ${exact.best.length}`);
  }
});

test('two memories of one store in one thread close in any order, also after one took a scope out of memory', async () => {
  const path = newStorePath();
  const writer = await openTiny({ path });
  await writer.observe({ scope: ADA, turns: someTurns(20) });
  const reader = await openTiny({ path, readOnly: true });
  await Promise.all([answers(writer, ADA), answers(reader, ADA)]);
  await writer.forget({ scope: ADA, everything: true });
  await writer.observe({ scope: ADA, turns: someTurns(5, 20) });
  assert.equal(await answers(writer, ADA), await answers(reader, ADA));
  await writer.close();
  assert.ok((await answers(reader, ADA)).flat().length > 0);
  await reader.close();
});

test('bytes of shards are given back when the memory closes', async () => {
  const memory = await openTiny();
  const before = (await memory.stats()).residentBytes;
  await memory.observe({ scope: ADA, turns: someTurns(200) });
  await ranking(memory, ADA, 'tea');
  assert.ok((await memory.stats()).residentBytes > before);
  await memory.close();
  await using other = await openTiny();
  assert.ok((await other.stats()).residentBytes <= before);
});

test('a reader sees what another process commits, and forgets what it forgets', async () => {
  const path = newStorePath();
  const writer = new Helper('writer', [path]);
  assert.is(await writer.line(), 'open');
  await writer.ask('observe 1');
  const reader = await openTiny({ path, readOnly: true });
  const top = async (word: string) =>
    (await reader.recall({ scope: ADA, query: word })).evidence.find(({ text }) => text.includes(`${word} `))
      ?.turnId;
  assert.is(await top('word1'), 't1');
  assert.is(await top('word2'), undefined);
  await writer.ask('observe 2');
  assert.is(await top('word2'), 't2');
  assert.equal(await idsOf(reader, ADA), ['t1', 't2']);
  await writer.ask('forget t1');
  assert.is(await top('word1'), undefined);
  assert.equal(await idsOf(reader, ADA), ['t2']);
  await writer.ask('forget');
  assert.ok((await reader.recall({ scope: ADA, query: 'word2' })).abstained);
  assert.is((await reader.stats()).scopes, 0);
  await writer.ask('observe 9');
  assert.is(await top('word9'), 't9');
  assert.is(present((await idsOf(reader, ADA))[0]), 't9');
  await reader.close();
  writer.kill();
  await writer.ended();
});

test('after another process forgot and wrote, a reader answers like one that has just opened the store', async () => {
  const path = newStorePath();
  const writer = new Helper('writer', [path]);
  assert.is(await writer.line(), 'open');
  for (let n = 0; n < 20; n++) await writer.ask(`observe ${n}`);
  await using reader = await openTiny({ path, readOnly: true });
  const agrees = async (when: string) => {
    await using fresh = await openCopy(path);
    assert.equal(await answers(reader, ADA), await answers(fresh, ADA), when);
  };
  await agrees('at first');
  for (const id of ['t3', 't4', 't19']) await writer.ask(`forget ${id}`);
  await agrees('after forgetting');
  // Forgotten as a whole and begun again, with no recall between that would have noticed.
  await writer.ask('forget');
  for (let n = 30; n < 37; n++) await writer.ask(`observe ${n}`);
  await agrees('after beginning again');
  writer.kill();
  await writer.ended();
});

test.after(killHelpers);
test.run();
