// A process that is killed in the middle of a compaction: killed-compactor.js PATH STEP
import { openMemory } from '../../src/memory/memory.js';
import { TinyEncoder } from './tiny-encoder.js';

const [path = '', step = ''] = process.argv.slice(2);
const memory = await openMemory(
  { path, encoder: new TinyEncoder() },
  {
    faults: (point) => {
      if (point === step) process.kill(process.pid, 'SIGKILL');
    },
  },
);
await memory.compact();
