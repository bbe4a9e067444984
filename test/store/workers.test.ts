// Stores in worker threads: however a thread ends, the store is free again; threads share one folder.
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { failure } from '../support/expecting.js';
import { ADA, idsOf, newStorePath, openTiny, someTurns } from '../support/memories.js';
import { moduleCopy } from '../support/module-copy.js';
import type { WorkerTask } from '../support/store-worker.js';
import { TinyEncoder } from '../support/tiny-encoder.js';

const test = suite('workers');
const SCRIPT = fileURLToPath(new URL('../support/store-worker.js', import.meta.url));

interface Said {
  turns?: number;
  code?: string;
  message?: string;
}

async function begun(task: WorkerTask): Promise<{ worker: Worker; said: Said; ended: Promise<unknown> }> {
  const worker = new Worker(SCRIPT, { workerData: task });
  worker.on('error', () => undefined);
  const ended = new Promise((resolve) => worker.once('exit', resolve));
  const [said] = (await once(worker, 'message')) as [Said];
  return { worker, said, ended };
}

// Terminated in the middle of a write, lmdb's own binding may abort the process (see ARCHITECTURE, known gaps): what is
// kept then is held by the soak, whose writers are processes of their own.
for (const ending of ['exit', 'throw', 'wait', 'close'] as const) {
  test(`a worker that ends (${ending}) gives the store back, with all that was acknowledged`, async () => {
    const path = newStorePath();
    for (let round = 0; round < 3; round++) {
      const from = round * 1000;
      const { worker, said, ended } = await begun({ path, ending, from });
      assert.is(said.code, undefined, said.message);
      if (ending === 'wait') await worker.terminate();
      await ended;
      const memory = await openTiny({ path });
      const ids = new Set(await idsOf(memory, ADA));
      for (let n = from; n < from + 3; n++) assert.ok(ids.has(`t${n}`), `t${n}`);
      await memory.close();
    }
  });
}

test('while a worker writes, this thread reads and is told who holds the right to write', async () => {
  const path = newStorePath();
  const { worker, ended } = await begun({ path, ending: 'wait' });
  const error = await failure('STORE_LOCKED', () => openTiny({ path }));
  assert.match(error.message, /in this one/);
  const reader = await openTiny({ path, readOnly: true });
  assert.is((await idsOf(reader, ADA)).length, 3);
  await worker.terminate();
  await ended;
  assert.is((await idsOf(reader, ADA)).length, 3, 'the reader outlives the writer');
  const writer = await openTiny({ path });
  await writer.observe({ scope: ADA, turns: someTurns(1, 3) });
  assert.is((await idsOf(reader, ADA)).length, 4);
  await writer.close();
  await reader.close();
});

test('a reader in a worker and a writer here, whoever comes first', async () => {
  const path = newStorePath();
  const writer = await openTiny({ path });
  await writer.observe({ scope: ADA, turns: someTurns(5) });
  const first = await begun({ path, readOnly: true, ending: 'wait' });
  assert.is(first.said.turns, 5, first.said.message);
  await writer.close();
  const again = await openTiny({ path });
  await again.observe({ scope: ADA, turns: someTurns(5, 5) });
  const second = await begun({ path, readOnly: true, ending: 'exit' });
  assert.is(second.said.turns, 10, second.said.message);
  await second.ended;
  await first.worker.terminate();
  await again.observe({ scope: ADA, turns: someTurns(1, 10) });
  await again.close();
  await using last = await openTiny({ path, readOnly: true });
  assert.is((await idsOf(last, ADA)).length, 11);
});

test('a second copy of the module reads beside the first, and cannot write beside it', async () => {
  const other = await moduleCopy()<typeof import('../../src/memory/memory.js')>('dist/src/memory/memory.js');
  const path = newStorePath();
  const encoder = new TinyEncoder();
  const writer = await openTiny({ path });
  await writer.observe({ scope: ADA, turns: someTurns(4) });
  let code: unknown;
  await other.openMemory({ path, encoder }).catch((error: { code?: string }) => {
    code = error.code;
  });
  assert.is(code, 'STORE_LOCKED');
  const reader = await other.openMemory({ path, encoder, readOnly: true });
  assert.is((await reader.stats({ scope: ADA })).turns, 4);
  await writer.close();
  const next = await other.openMemory({ path, encoder });
  await next.observe({ scope: ADA, turns: someTurns(1, 4) });
  assert.is((await reader.stats({ scope: ADA })).turns, 5);
  await next.close();
  await reader.close();
});

test.run();
