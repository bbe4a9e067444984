// Deadlines with the real encoder: they are kept, what was left out is named, and what is late stops.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { seededRandom } from '../../bench/random.js';
import { CoreClock } from '../../bench/speed/core-clock.js';
import { archiveOf, someText } from '../../bench/speed/made-up-archive.js';
import type { Recall, RecallRequest } from '../../src/contract/recall.js';
import { type Encoder, type Memory, openEncoder, openMemory } from '../../src/index.js';
import { newStorePath } from '../support/memories.js';

const test = suite('deadlines with MiniLM');
const SCOPE = { tenant: 'deadline', user: 'ada' };
const LARGE = { tenant: 'deadline', user: 'large' };
const LARGE_TURNS = 10_000;
const DEADLINE_MS = 20;
const GRACE_MS = 5;
const CALLS = 20;
/** `bench -- deadlines` counts on an idle core, where there are none; here others share it. */
const MOST_LATE = 2;

const path = newStorePath();
let encoder: Encoder;
let memory: Memory;

test.before(async () => {
  encoder = await openEncoder();
  memory = await openMemory({ path, encoder });
  await memory.import({ records: archiveOf(SCOPE, encoder.identity, 300) });
  await memory.import({ records: archiveOf(LARGE, encoder.identity, LARGE_TURNS) });
});
test.after(async () => {
  await memory.close();
  await encoder.close();
});

test('a query of 512 tokens is answered by its words, and says that its encoding was late', async () => {
  const random = seededRandom('tokens');
  for (const { partial, evidence } of await keeps(() => ({ scope: SCOPE, query: someText(random, 480) }))) {
    assert.ok(partial);
    assert.ok(evidence.length > 0);
  }
});

test('a query of 60 KB is too', async () => {
  const random = seededRandom('bytes');
  const answers = await keeps(() => ({ scope: SCOPE, query: someText(random, 9000).slice(0, 60_000) }));
  for (const { partial } of answers) assert.ok(partial);
});

test('a scope that is not in memory is answered from in part, and says so', async () => {
  const cold = await openMemory({ path, encoder, readOnly: true, limits: { residentBytes: 1 } });
  const answers = await keeps(
    (n) => ({ scope: LARGE, query: `tea ${n}` }),
    () => cold.recall({ scope: SCOPE, query: 'tea' }),
    cold,
  );
  for (const { late, partial } of answers) assert.is(partial, late.length > 0);
  await cold.close();
});

test('an ingest in the same process takes nothing of it', async () => {
  const random = seededRandom('ingest');
  let isOver = false;
  const ingest = (async () => {
    while (!isOver) {
      const turns = Array.from({ length: 100 }, () => ({ speaker: 'Bo', text: someText(random, 8) }));
      await memory.observe({ scope: { tenant: 'deadline', user: 'bo' }, turns });
    }
  })();
  await keeps((n) => ({ scope: SCOPE, query: `tea ${n}` }));
  isOver = true;
  await ingest;
});

test('what nobody waits for any more is not encoded to its end', async () => {
  const random = seededRandom('stopped');
  const long = () => someText(random, 480);
  const wholeMs = await timed(() => memory.recall({ scope: SCOPE, query: long() }));
  // Two run at a time: eight that went on would keep the next query waiting for four.
  const late = Array.from({ length: 8 }, () => memory.recall({ scope: SCOPE, query: long(), deadlineMs: 1 }));
  await Promise.all(late);
  const nextMs = await timed(() => memory.recall({ scope: SCOPE, query: 'tea' }));
  assert.ok(nextMs < wholeMs, `${nextMs} ms behind late ones, ${wholeMs} ms for one of them`);
});

/** Asks again and again; all but a few answers come in time, on a core of our own. */
async function keeps(
  request: (n: number) => Omit<RecallRequest, 'deadlineMs'>,
  before: () => Promise<unknown> = async () => undefined,
  asked = memory,
): Promise<Recall[]> {
  const clock = new CoreClock();
  const answers: Recall[] = [];
  const times: number[] = [];
  for (let n = 0; n < CALLS; n++) {
    await before();
    const { waited } = clock.read();
    const begin = performance.now();
    answers.push(await asked.recall({ ...request(n), deadlineMs: DEADLINE_MS }));
    times.push(performance.now() - begin - (clock.read().waited - waited));
  }
  clock.close();
  const late = times.filter((ms) => ms > DEADLINE_MS + GRACE_MS);
  assert.ok(late.length <= MOST_LATE, `late: ${late.map((ms) => ms.toFixed(1)).join(', ')} ms`);
  return answers;
}

async function timed(action: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await action();
  return performance.now() - begin;
}

test.run();
