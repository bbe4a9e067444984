// bench scaling: the same IPR dialogues with 1, 2, 4 and 8 times the history.
import type { Command } from '../../../src/cli/command.js';
import { HISTORIES, lengthen } from '../../ipr/history.js';
import { corpusNamed } from '../datasets/ipr.js';
import { Measurement } from '../measure.js';
import { QUALITY_OPTIONS, SPLIT_OPTION } from '../options.js';
import { emit, type NamedPart } from '../output.js';

export const command: Command = {
  name: 'bench scaling',
  words: '',
  summary: 'Measures implicit recall as the history grows from 1x to 8x by what other people said.',
  example: 'npm run -s bench -- scaling --arms dense,fused',
  options: { ...SPLIT_OPTION, ...QUALITY_OPTIONS },
  async run(invocation) {
    const { people, split } = corpusNamed(invocation.text('split') ?? 'dev');
    await Measurement.within(invocation, 'scaling', async (measurement) => {
      const parts: NamedPart[] = [];
      for (const history of HISTORIES) {
        const conversations = lengthen(people, measurement.seed, history);
        const run = await measurement.run({ name: 'ipr', split, conversations });
        const result = measurement.summary(run, split);
        const meanTurns = Math.round(run.turns / run.conversations);
        const title = `History ${history}x, ${meanTurns} turns on average`;
        parts.push({ name: `${history}x`, title, result });
      }
      await emit(invocation, 'scaling', parts);
    });
  },
};
