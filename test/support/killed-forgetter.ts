// A process that forgets a user and is killed while the turns are deleted: killed-forgetter.js PATH
import { writeSync } from 'node:fs';
import { openMemory } from '../../src/memory/memory.js';
import { ADA } from './memories.js';
import { TinyEncoder } from './tiny-encoder.js';

const [path = ''] = process.argv.slice(2);
let commits: number | undefined;
const memory = await openMemory(
  { path, encoder: new TinyEncoder() },
  {
    faults: (point) => {
      if (point === 'commit' && commits !== undefined && ++commits === 2)
        process.kill(process.pid, 'SIGKILL');
    },
  },
);
await memory.forget({ scope: ADA, everything: true });
writeSync(1, 'forgotten\n');
commits = 0;
await memory.close();
