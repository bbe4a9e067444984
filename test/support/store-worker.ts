// A worker thread that opens a store and ends as it is told: see test/store/workers.test.ts.
import { setTimeout as wait } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { openMemory } from '../../src/memory/memory.js';
import { ADA, someTurns } from './memories.js';
import { TinyEncoder } from './tiny-encoder.js';

export interface WorkerTask {
  path: string;
  readOnly?: boolean;
  /** wait: to be terminated; work: the same, in the middle of observes. */
  ending: 'exit' | 'throw' | 'wait' | 'close';
  from?: number;
}

const { path, readOnly = false, ending, from = 0 } = workerData as WorkerTask;
try {
  const memory = await openMemory({ path, readOnly, encoder: new TinyEncoder() });
  if (!readOnly) await memory.observe({ scope: ADA, turns: someTurns(3, from) });
  const { turns } = await memory.stats({ scope: ADA });
  parentPort?.postMessage({ turns });
  if (ending === 'close') await memory.close();
  if (ending === 'wait') await wait(60_000);
} catch (error) {
  parentPort?.postMessage({ code: (error as { code?: string }).code, message: String(error) });
}
if (ending === 'throw') {
  // What was said arrives first.
  await wait(100);
  throw new Error('a worker that ends by throwing');
}
process.exit(0);
