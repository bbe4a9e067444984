// Opens, compacts or imports in a process that may open only so many more files, and says what came of it.
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { devNull } from 'node:os';
import { openMemory } from '../../src/memory/memory.js';
import { all } from './expecting.js';
import { ADA, someTurns } from './memories.js';
import { TinyEncoder } from './tiny-encoder.js';

const [path = '', verb, left = '0'] = process.argv.slice(2);
const encoder = new TinyEncoder();
const memory = await openMemory({ path, encoder });
await memory.observe({ scope: ADA, turns: someTurns(3) });
const records = await all(memory.export({ scope: ADA }));
execFileSync('prlimit', ['--nofile=100:100', '--pid', `${process.pid}`]);
const taken: number[] = [];
try {
  for (;;) taken.push(openSync(devNull, 'r'));
} catch {
  for (const descriptor of taken.slice(0, Number(left))) closeSync(descriptor);
}

let said = 'done';
try {
  if (verb === 'compact') await memory.compact();
  else if (verb === 'import') await memory.import({ records });
  else await openMemory({ path, encoder, readOnly: true });
} catch (error) {
  const { code, message } = error as Error & { code?: string };
  said = `${code} ${message}`;
}
writeSync(1, `${said}\n`);
process.exit(0);
