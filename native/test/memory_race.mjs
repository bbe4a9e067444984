// Three workers and the main thread on one store, through the public API: what workers are answered is what one thread
// alone is answered. Usage: node memory_race.mjs [seconds] [workers]; wants dist/ (scripts/setup.mjs).
// Under ThreadSanitizer: see scripts/sanitize.mjs.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import Module from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

// The instrumented addon takes the place of the built one, in every thread.
const resolve = Module._resolveFilename;
Module._resolveFilename = (request, ...rest) =>
  process.env.ONTOMEM_ADDON !== undefined && request.endsWith('build/Release/ontomem.node')
    ? process.env.ONTOMEM_ADDON
    : resolve(request, ...rest);
const { openMemory } = await import('../../dist/src/index.js');
const { TinyEncoder } = await import('../../dist/test/support/tiny-encoder.js');

const STILL = ['tea', 'maps', 'violin'].map((user) => ({ tenant: 'race', user }));
const MOVING = { tenant: 'race', user: 'moving' };
const QUERIES = ['tea in the garden', 'a train to Lisbon', 'word17', 'old maps and bread', 'trio3'];
const MOST_MOVING = 600;

const turns = (count, from) =>
  Array.from({ length: count }, (_, n) => ({
    id: `t${from + n}`,
    speaker: n % 2 === 0 ? 'Ada' : 'Bo',
    text: `${QUERIES[(from + n) % QUERIES.length]} word${from + n} and trio${Math.floor((from + n) / 3)}`,
    at: Date.UTC(2024, 0, 1) + (from + n) * 60_000,
  }));

/** Scores are sums over a shard's rows: in which order depends on what was forgotten since it was loaded. */
const ROUNDING = 1e-6;

function assertSame(answers, expected) {
  const ids = (all) => all.map((evidence) => evidence.map(({ turnId }) => turnId));
  assert.deepEqual(ids(answers), ids(expected));
  const scores = expected.flat().map(({ score }) => score);
  for (const [n, { score }] of answers.flat().entries())
    assert.ok(Math.abs(score - scores[n]) < ROUNDING, `${score} and ${scores[n]}`);
}

/** What a scope answers to every query, ids with scores. */
async function answersOf(memory, scope) {
  const answers = [];
  for (const query of QUERIES) {
    const { evidence } = await memory.recall({ scope, query, limit: 20 });
    answers.push(evidence.map(({ turnId, score }) => ({ turnId, score })));
  }
  return answers;
}

async function read({ path, expected }) {
  const memory = await openMemory({ path, encoder: new TinyEncoder(), readOnly: true });
  let isOver = false;
  let recalls = 0;
  parentPort.once('message', () => {
    isOver = true;
  });
  while (!isOver) {
    for (const [n, scope] of STILL.entries()) assert.deepEqual(await answersOf(memory, scope), expected[n]);
    for (const { evidence } of await memory.recallMany(QUERIES.map((query) => ({ scope: MOVING, query }))))
      for (const { score } of evidence) assert.ok(score >= 0 && score <= 1, `a score of ${score}`);
    recalls += (STILL.length + 1) * QUERIES.length;
    // Every so often a thread comes to a store anew.
    if (recalls % 1000 === 0) await memory.stats();
  }
  const last = await Promise.all([...STILL, MOVING].map((scope) => answersOf(memory, scope)));
  const { residentBytes } = await memory.stats();
  await memory.close();
  parentPort.postMessage({ recalls, last, residentBytes });
}

/** Observes, amends, forgets and compacts one scope beside the readers. */
async function write(memory, until) {
  let next = 0;
  let oldest = 0;
  for (let round = 0; Date.now() < until; round++) {
    await memory.observe({ scope: MOVING, turns: turns(1 + (round % 40), next) });
    next += 1 + (round % 40);
    await memory.recall({ scope: MOVING, query: QUERIES[round % QUERIES.length] });
    if (round % 5 === 0) await memory.amend({ scope: MOVING, turn: `t${next - 1}`, meta: { round } });
    for (; next - oldest > MOST_MOVING; oldest++) await memory.forget({ scope: MOVING, turn: `t${oldest}` });
    if (round % 50 === 49) await memory.compact();
    if (round % 200 === 199) {
      await memory.forget({ scope: MOVING, everything: true });
      oldest = next;
    }
  }
}

async function main() {
  const seconds = Number(process.argv[2] ?? 10);
  const count = Number(process.argv[3] ?? 3);
  const folder = mkdtempSync(join(tmpdir(), 'ontomem-race-'));
  const path = join(folder, 'store');
  const memory = await openMemory({ path, encoder: new TinyEncoder() });
  for (const [n, scope] of STILL.entries()) await memory.observe({ scope, turns: turns(200 + 100 * n, 0) });
  await memory.observe({ scope: MOVING, turns: [{ speaker: 'Ada', text: 'first' }] });
  const expected = [];
  for (const scope of STILL) expected.push(await answersOf(memory, scope));

  const workers = Array.from({ length: count }, () => {
    const worker = new Worker(new URL(import.meta.url), { workerData: { path, expected } });
    const done = new Promise((fulfil, reject) => worker.once('message', fulfil).once('error', reject));
    // Its failure is thrown when it is waited for.
    done.catch(() => undefined);
    return { worker, done };
  });
  const failed = Promise.race(workers.map(({ done }) => done));
  await Promise.race([write(memory, Date.now() + seconds * 1000), failed]);
  for (const { worker } of workers) worker.postMessage('stop');
  const results = await Promise.all(workers.map(({ done }) => done));
  await memory.close();

  // One thread alone, that reads everything from the disk.
  const alone = await openMemory({ path, encoder: new TinyEncoder(), readOnly: true });
  const last = [];
  for (const scope of [...STILL, MOVING]) last.push(await answersOf(alone, scope));
  const { residentBytes } = await alone.stats();
  await alone.close();
  for (const result of results) for (const [n, answers] of result.last.entries()) assertSame(answers, last[n]);
  rmSync(folder, { recursive: true });
  const recalls = results.reduce((sum, result) => sum + result.recalls, 0);
  const copies = Math.max(...results.map((result) => result.residentBytes)) / residentBytes;
  console.log(JSON.stringify({ test: 'memory race', seconds, workers: count, recalls, copies }));
}

if (isMainThread) await main();
else await read(workerData);
