// bench coldstart: users of at most ten turns beside users of more than fifty.
import type { Command } from '../../../src/cli/command.js';
import { IMPLICIT, iprDataset, splitNamed } from '../datasets/ipr.js';
import { Measurement } from '../measure.js';
import { QUALITY_OPTIONS, SPLIT_OPTION } from '../options.js';
import { emit } from '../output.js';
import type { QueryRecord } from '../run.js';

export const command: Command = {
  name: 'bench coldstart',
  words: '',
  summary:
    'Measures implicit recall for users of at most 10 turns; there R@1, nDCG and MRR tell, R@10 cannot.',
  example: 'npm run -s bench -- coldstart --arms dense,fused',
  options: { ...SPLIT_OPTION, ...QUALITY_OPTIONS },
  async run(invocation) {
    const split = splitNamed(invocation.text('split') ?? 'test');
    await Measurement.within(invocation, 'coldstart', async (measurement) => {
      const implicit = ({ slices }: QueryRecord) => slices.includes(IMPLICIT);
      const cold = await measurement.run(iprDataset(split, 'coldstart', measurement.seed));
      const mature = await measurement.run(iprDataset(split, 'dialogues', measurement.seed));
      await emit(invocation, 'coldstart', [
        {
          name: 'cold',
          title: 'Cold start, at most 10 turns: ten results hold them all, so read R@1, nDCG and MRR',
          result: measurement.summary(cold, split, implicit),
        },
        {
          name: 'mature',
          title: 'Mature, more than 50 turns',
          result: measurement.summary(mature, split, implicit),
        },
      ]);
    });
  },
};
