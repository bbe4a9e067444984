// ontomem bench: the benchmarks, as `npm run bench` runs them; each reads its own words.
import type { ForwardingCommand } from '../command.js';

export const bench: ForwardingCommand = {
  name: 'bench',
  words: 'NAME',
  summary: 'Runs a benchmark: locomo, ipr, prefeval, kernels, latency and more; a wrong NAME lists them all.',
  example: 'ontomem bench locomo --data locomo10.json --json',
  options: {},
  async forward(argv) {
    const { runBench } = await import('../../../bench/main.js');
    await runBench(argv);
  },
};
