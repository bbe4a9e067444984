// Worker threads that open one store share its shards: the memory of one, the answers of one.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ADA, newStorePath, openTiny, ranking, someTurns } from '../support/memories.js';
import type { ThreadOptions } from '../support/thread-reader.js';
import { TinyEncoder } from '../support/tiny-encoder.js';

const test = suite('threads');
const DIMENSION = 384;
const TURNS = 2000;

interface Answer {
  hits: string[];
  residentBytes: number;
  error?: string;
}

class Reader {
  readonly #worker: Worker;

  constructor(path: string) {
    const workerData: ThreadOptions = { path, dimension: DIMENSION };
    this.#worker = new Worker(new URL('../support/thread-reader.js', import.meta.url), { workerData });
  }

  async opened(): Promise<this> {
    await once(this.#worker, 'message');
    return this;
  }

  async ask(query: string): Promise<Answer> {
    this.#worker.postMessage(query);
    const [answer] = (await once(this.#worker, 'message')) as [Answer];
    assert.is(answer.error, undefined);
    return answer;
  }

  async close(): Promise<void> {
    const exited = once(this.#worker, 'exit');
    this.#worker.postMessage('close');
    await exited;
  }
}

async function filled(path: string): Promise<void> {
  await using memory = await openTiny({ path, encoder: new TinyEncoder({ dimension: DIMENSION }) });
  for (let n = 0; n < TURNS; n += 200) await memory.observe({ scope: ADA, turns: someTurns(200, n) });
}

const QUERIES = ['tea in the garden word5', 'violin trio40', 'old maps', 'bread with rye word1203'];

test('four reading threads and the main thread take the memory of one, and answer alike', async () => {
  const path = newStorePath();
  await filled(path);
  const alone = await new Reader(path).opened();
  const expected = await Promise.all([alone.ask(QUERIES[0] ?? '')]);
  const bytesOfOne = expected[0]?.residentBytes ?? 0;
  assert.ok(bytesOfOne > TURNS * DIMENSION * 4);
  await alone.close();

  // All at once, so that they load together.
  const readers = await Promise.all(Array.from({ length: 4 }, () => new Reader(path).opened()));
  await using main = await openTiny({
    path,
    encoder: new TinyEncoder({ dimension: DIMENSION }),
    readOnly: true,
  });
  for (const query of QUERIES) {
    const [own, ...answers] = await Promise.all([
      ranking(main, ADA, query, 50),
      ...readers.map((reader) => reader.ask(query)),
    ]);
    for (const { hits, residentBytes } of answers) {
      assert.equal(hits, own);
      assert.ok(residentBytes <= bytesOfOne * 1.1, `${residentBytes} bytes for five, ${bytesOfOne} for one`);
    }
  }
  await Promise.all(readers.map((reader) => reader.close()));
  assert.ok((await main.stats()).residentBytes > 0, 'the main thread still holds it');
});

test('threads that read beside the one that writes see each commit, in one copy of the scope', async () => {
  const path = newStorePath();
  await filled(path);
  await using writer = await openTiny({ path, encoder: new TinyEncoder({ dimension: DIMENSION }) });
  await ranking(writer, ADA, 'tea', 1);
  const bytesOfOne = (await writer.stats()).residentBytes;
  const readers = await Promise.all(Array.from({ length: 3 }, () => new Reader(path).opened()));
  for (let round = 0; round < 6; round++) {
    if (round % 2 === 0) await writer.observe({ scope: ADA, turns: someTurns(20, TURNS + 20 * round) });
    else await writer.forget({ scope: ADA, turn: `t${300 * round}` });
    const query = QUERIES[round % QUERIES.length] ?? '';
    const [own, ...answers] = await Promise.all([
      ranking(writer, ADA, query, 50),
      ...readers.map((reader) => reader.ask(query)),
    ]);
    for (const { hits } of answers) assert.equal(hits, own, `round ${round}`);
  }
  // What it grew by is a new block of a quarter of the rows.
  const { residentBytes } = await writer.stats();
  assert.ok(residentBytes <= bytesOfOne * 1.35, `${residentBytes} bytes for four, ${bytesOfOne} for one`);
  await Promise.all(readers.map((reader) => reader.close()));
});

test('a thread that ends in the middle of a load leaves a shard the others can load on', async () => {
  const path = newStorePath();
  await filled(path);
  const workers = Array.from(
    { length: 3 },
    () =>
      new Worker(new URL('../support/thread-reader.js', import.meta.url), {
        workerData: { path, dimension: DIMENSION } satisfies ThreadOptions,
      }),
  );
  await Promise.all(workers.map((worker) => once(worker, 'message')));
  for (const worker of workers) worker.postMessage('tea');
  await using main = await openTiny({
    path,
    encoder: new TinyEncoder({ dimension: DIMENSION }),
    readOnly: true,
  });
  const own = ranking(main, ADA, 'tea in the garden', 50);
  await Promise.all(workers.map((worker) => worker.terminate()));
  const hits = await own;
  const later = await new Reader(path).opened();
  assert.equal((await later.ask('tea in the garden')).hits, hits);
  await later.close();
});

test.run();
