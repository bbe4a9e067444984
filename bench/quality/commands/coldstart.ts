// bench coldstart: users of at most ten turns beside users of a hundred.
import type { Command } from '../../../src/cli/command.js';
import { corpusNamed, iprColdStarts, iprDialogues } from '../datasets/ipr.js';
import { Measurement } from '../measure.js';
import { QUALITY_OPTIONS, SPLIT_OPTION } from '../options.js';
import { emit } from '../output.js';

export const command: Command = {
  name: 'bench coldstart',
  words: '',
  summary:
    'Measures implicit recall for users of at most 10 turns; there R@1, nDCG and MRR tell, R@10 cannot.',
  example: 'npm run -s bench -- coldstart --arms dense,fused',
  options: { ...SPLIT_OPTION, ...QUALITY_OPTIONS },
  async run(invocation) {
    const corpus = corpusNamed(invocation.text('split') ?? 'dev');
    await Measurement.within(invocation, 'coldstart', async (measurement) => {
      const cold = await measurement.run(iprColdStarts(corpus, measurement.seed));
      const mature = await measurement.run(iprDialogues(corpus, measurement.seed));
      await emit(invocation, 'coldstart', [
        {
          name: 'cold',
          title: 'Cold start, at most 10 turns: ten results hold them all, so read R@1, nDCG and MRR',
          result: measurement.summary(cold, corpus.split),
        },
        {
          name: 'mature',
          title: 'Mature, about a hundred turns',
          result: measurement.summary(mature, corpus.split),
        },
      ]);
    });
  },
};
