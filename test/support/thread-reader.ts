// A worker thread that opens a store to read and answers what it is asked: a query, or `close`.
import { parentPort, workerData } from 'node:worker_threads';
import { openMemory } from '../../src/memory/memory.js';
import { ADA, ranking } from './memories.js';
import { TinyEncoder } from './tiny-encoder.js';

export interface ThreadOptions {
  path: string;
  dimension: number;
}

const { path, dimension } = workerData as ThreadOptions;
const memory = await openMemory({ path, encoder: new TinyEncoder({ dimension }), readOnly: true });
parentPort?.on('message', async (query: string) => {
  if (query === 'close') {
    await memory.close();
    parentPort?.close();
    return;
  }
  try {
    const hits = await ranking(memory, ADA, query, 50);
    const { residentBytes } = await memory.stats();
    parentPort?.postMessage({ hits, residentBytes });
  } catch (error) {
    parentPort?.postMessage({ error: String(error) });
  }
});
parentPort?.postMessage('open');
