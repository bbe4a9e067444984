// bench latency: a whole recall inside the engine, by size of the user and number of threads.
import { nativeBench } from './native-bench.js';

export const command = nativeBench({
  name: 'latency',
  summary: 'Times a whole recall in the engine (64 candidates, 2 hops) beside a streaming read of the user.',
  example: 'npm run -s bench -- latency --turns 1000,10000 --threads 1,2 --json',
  program: 'recall_bench',
  options: {
    turns: { type: 'string', value: 'N,...', help: 'turns of a user; 87 to 50,000 when absent' },
    threads: { type: 'string', value: 'N,...', help: 'reading threads; 1 and 2 when absent' },
    users: { type: 'string', value: 'U,...', help: 'warm, cold; warm when absent' },
    format: { type: 'string', value: 'F', help: 'f32, bf16 or int8; f32 when absent' },
    dimension: { type: 'string', value: 'D', help: 'dimension of the vectors; 384 when absent' },
    ms: { type: 'string', value: 'MS', help: 'milliseconds a cell' },
  },
  columns: [
    'turns',
    'threads',
    'users',
    'p50Us',
    'p95Us',
    'p99Us',
    'streamUs',
    'p95OverStream',
    'qps',
    'bytesPerUser',
  ],
});
