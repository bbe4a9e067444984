// Encodes without end, says so once, and is ended from outside; with 'exit' it ends itself in the middle.
import { parentPort } from 'node:worker_threads';
import { openEncoder } from '../../src/encode/open-encoder.js';

const encoder = await openEncoder();
const texts = Array.from({ length: 64 }, (_, i) =>
  `sentence ${i} about the weather in the hills `.repeat(10),
);
void encoder.encode(texts, { role: 'passage' });
await encoder.encode(['one query'], { role: 'query' });
parentPort?.postMessage('encoding');
if (process.argv[2] === 'exit') setTimeout(() => process.exit(7), 20);
for (;;) await encoder.encode(texts, { role: 'passage' });
