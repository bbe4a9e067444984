// A process that encodes a text and lives a little longer: encode-once.js [worker]
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isMainThread, Worker } from 'node:worker_threads';
import { openEncoder } from '../../src/encode/open-encoder.js';

if (isMainThread && process.argv[2] === 'worker') {
  await new Promise((resolve) => new Worker(fileURLToPath(import.meta.url)).once('exit', resolve));
} else {
  const encoder = await openEncoder();
  await encoder.encode(['hello'], { role: 'query' });
  // Telemetry starts on threads of its own.
  await delay(1000);
  await encoder.close();
}
