// The encoder beside other work: it holds no event loop, and a thread may end while it encodes.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Encoder } from '../../src/contract/encoder.js';
import { openEncoder } from '../../src/encode/open-encoder.js';
import { runNode } from '../support/processes.js';

const test = suite('encoder and threads');
const WORKER = fileURLToPath(new URL('../support/encode-forever.js', import.meta.url));
const SENTENCE = 'The ferry left at noon with our bags still on the quay, and nobody laughed but my aunt. ';
let encoder: Encoder;

test.before(async () => {
  encoder = await openEncoder();
});

test.after(async () => {
  await encoder.close();
});

test('encoding long and many texts does not hold the event loop', async () => {
  const long = SENTENCE.repeat(700);
  await encoder.encode([long], { role: 'query' });
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await encoder.encode([long], { role: 'query' });
  await encoder.encode(
    Array.from({ length: 100 }, (_, i) => `${i} ${SENTENCE}`),
    { role: 'passage' },
  );
  delay.disable();
  // The machine's own pauses are in it: the median batch alone takes 45 ms.
  assert.ok(delay.percentile(95) / 1e6 < 20, `95% under ${delay.percentile(95) / 1e6} ms`);
});

test('a query does not wait for the passages that came before it', async () => {
  const passages = encoder.encode(
    Array.from({ length: 200 }, (_, i) => `${i} ${SENTENCE}`),
    { role: 'passage' },
  );
  let ingested = false;
  void passages.then(() => {
    ingested = true;
  });
  await encoder.encode(['what should I watch?'], { role: 'query' });
  assert.is(ingested, false);
  await passages;
});

test('a worker that is terminated while it encodes takes nothing down', async () => {
  for (let round = 0; round < 4; round++) {
    const worker = new Worker(WORKER);
    await new Promise((resolve) => worker.once('message', resolve));
    await worker.terminate();
  }
  assert.is((await encoder.encode(['still here'], { role: 'query' })).vectors.length, 384);
});

test('a process that exits while it encodes ends with its own code', async () => {
  const { code, signal } = await runNode(WORKER, ['exit']);
  assert.is(signal, null);
  assert.is(code, 7);
});

test.run();
