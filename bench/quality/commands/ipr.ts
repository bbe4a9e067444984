// bench ipr: Implicit Preference Recall, our own benchmark; explicit queries and friends apart.
import type { Command } from '../../../src/cli/command.js';
import { IMPLICIT, iprDataset, splitNamed } from '../datasets/ipr.js';
import { Measurement } from '../measure.js';
import { QUALITY_OPTIONS, SPLIT_OPTION } from '../options.js';
import { emit, type NamedPart } from '../output.js';

export const command: Command = {
  name: 'bench ipr',
  words: '',
  summary: 'Measures Implicit Preference Recall: keyword-free queries over dialogues of several weeks.',
  example: 'npm run -s bench -- ipr --arms dense,bm25 --json',
  options: {
    ...SPLIT_OPTION,
    part: { type: 'string', value: 'NAME', help: 'dialogues or friends [both]' },
    ...QUALITY_OPTIONS,
  },
  async run(invocation) {
    const split = splitNamed(invocation.text('split') ?? 'test');
    const part = invocation.text('part');
    await Measurement.within(invocation, 'ipr', async (measurement) => {
      const parts: NamedPart[] = [];
      if (part !== 'friends') {
        const run = await measurement.run(iprDataset(split, 'dialogues', measurement.seed));
        const result = measurement.summary(run, split, ({ slices }) => slices.includes(IMPLICIT));
        const explicit = measurement.summary(run, split, ({ slices }) => !slices.includes(IMPLICIT));
        parts.push({ name: 'implicit', title: `IPR ${split}: implicit queries`, result });
        parts.push({ name: 'explicit', title: `IPR ${split}: explicit queries`, result: explicit });
      }
      if (part !== 'dialogues') {
        const run = await measurement.run(iprDataset(split, 'friends', measurement.seed));
        const result = measurement.summary(run, split);
        parts.push({ name: 'friends', title: `IPR ${split}: two-person conversations`, result });
      }
      await emit(invocation, 'ipr', parts);
    });
  },
};
