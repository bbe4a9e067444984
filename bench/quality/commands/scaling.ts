// bench scaling: the same IPR dialogues with 1, 2, 4 and 8 times the history.
import type { Command } from '../../../src/cli/command.js';
import { HISTORIES } from '../../ipr/compose.js';
import { IMPLICIT, iprDataset, splitNamed } from '../datasets/ipr.js';
import { Measurement } from '../measure.js';
import { QUALITY_OPTIONS, SPLIT_OPTION } from '../options.js';
import { emit, type NamedPart } from '../output.js';

export const command: Command = {
  name: 'bench scaling',
  words: '',
  summary: 'Measures implicit recall as the history grows from 1x to 8x.',
  example: 'npm run -s bench -- scaling --arms dense,fused',
  options: { ...SPLIT_OPTION, ...QUALITY_OPTIONS },
  async run(invocation) {
    const split = splitNamed(invocation.text('split') ?? 'test');
    await Measurement.within(invocation, 'scaling', async (measurement) => {
      const parts: NamedPart[] = [];
      for (const history of HISTORIES) {
        const dataset = iprDataset(split, 'dialogues', measurement.seed, history);
        const run = await measurement.run(dataset);
        const result = measurement.summary(run, split, ({ slices }) => slices.includes(IMPLICIT));
        const meanTurns = Math.round(run.turns / run.conversations);
        parts.push({
          name: `${history}x`,
          title: `History ${history}x, ${meanTurns} turns on average: implicit queries`,
          result,
        });
      }
      await emit(invocation, 'scaling', parts);
    });
  },
};
