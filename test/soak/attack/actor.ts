// A process of the attack: actor.js ROLE OPTIONS. It ends when its input does, for whoever started it is gone.
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { read } from './reader.js';
import { say } from './report.js';
import { write } from './writer.js';

type Role = 'writer' | 'reader' | 'threads';

/** A worker lives at most so long: loading takes up to a second of it on a busy machine. */
const WORKER_LIFE_MS = 3000;
const ENDINGS = ['terminate', 'exit', 'throw'] as const;

interface Task {
  role: Role;
  options: { path: string; ledger: string };
  /** For a worker: how it ends itself, and when. */
  ending?: (typeof ENDINGS)[number];
  afterMs?: number;
}

async function run({ role, options, ending, afterMs = 0 }: Task): Promise<void> {
  if (ending === 'exit') setTimeout(() => process.exit(0), afterMs);
  if (ending === 'throw') {
    setTimeout(() => {
      throw new Error('a worker that ends by throwing');
    }, afterMs);
  }
  if (role === 'writer') await write(options);
  else if (role === 'reader') await read(options);
  else await threads(options);
}

/** A writer and a reader in two workers of this process, each ended at random and started anew. */
async function threads(options: Task['options']): Promise<void> {
  await Promise.all((['writer', 'reader'] as const).map((role) => again(role, options)));
}

async function again(role: Role, options: Task['options']): Promise<void> {
  for (;;) {
    const afterMs = Math.random() * WORKER_LIFE_MS;
    const ending = ENDINGS[Math.floor(Math.random() * ENDINGS.length)] ?? 'exit';
    const task: Task = { role, options, ending, afterMs };
    const worker = new Worker(fileURLToPath(import.meta.url), { workerData: task });
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    worker.on('error', (error) => {
      if (!/ends by throwing/.test(String(error))) say({ raw: 1 }, `worker: ${String(error)}`);
    });
    if (ending === 'terminate') {
      await wait(afterMs);
      await worker.terminate();
    }
    await ended;
  }
}

if (isMainThread) {
  process.stdin.on('end', () => process.exit(0)).resume();
  await run(JSON.parse(process.argv[2] ?? '{}') as Task);
  process.exit(0);
} else {
  await run(workerData as Task);
}
