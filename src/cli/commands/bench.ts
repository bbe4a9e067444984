// ontomem bench: the benchmarks, as `npm run bench` runs them.
import type { Command } from '../command.js';

export const bench: Command = {
  name: 'bench',
  words: 'NAME',
  summary: 'Runs a benchmark: locomo on a file of yours; more with the sources (npm run bench).',
  example: 'ontomem bench locomo --data locomo10.json --json',
  options: {
    data: { type: 'string', value: 'FILE', help: 'the data set' },
    encoder: { type: 'string', value: 'NAME|DIR', help: 'encoder name or model folder' },
  },
  async run(invocation) {
    const { runBench } = await import('../../../bench/main.js');
    await runBench(invocation);
  },
};
