// bench ablation: ontomem's recall with one part at a time left out, on our own and on given conversations.
import { type Command, UsageError } from '../../../src/cli/command.js';
import { ABLATION_ARMS } from '../ablations.js';
import { corpusNamed, iprDialogues, iprFriends } from '../datasets/ipr.js';
import { ADVERSARIAL, locomoDataset } from '../datasets/locomo.js';
import { prefevalDataset } from '../datasets/prefeval.js';
import { Measurement } from '../measure.js';
import { DATA_OPTION, QUALITY_OPTIONS, SPLIT_OPTION } from '../options.js';
import { emit, type NamedPart } from '../output.js';

export const command: Command = {
  name: 'bench ablation',
  words: '',
  summary:
    'Measures what each part of the recall contributes: on IPR, with --data on LoCoMo, with --prefeval on both.',
  example: 'npm run -s bench -- ablation --data locomo10.json',
  options: {
    ...SPLIT_OPTION,
    ...DATA_OPTION,
    prefeval: { type: 'string', value: 'DIR', help: "PrefEval's folder, stitched into the --data file" },
    ...QUALITY_OPTIONS,
  },
  async run(invocation) {
    const corpus = corpusNamed(invocation.text('split') ?? 'dev');
    const { split } = corpus;
    const file = invocation.text('data');
    const prefeval = invocation.text('prefeval');
    if (prefeval !== undefined && file === undefined)
      throw new UsageError('--prefeval needs --data: its preferences are stitched into LoCoMo');
    await Measurement.within(
      invocation,
      'ablation',
      async (measurement) => {
        const dialogues = await measurement.run(iprDialogues(corpus, measurement.seed));
        const friends = await measurement.run(iprFriends(corpus));
        const parts: NamedPart[] = [
          {
            name: 'dialogues',
            title: `IPR ${split}: requests`,
            result: measurement.summary(dialogues, split),
          },
          { name: 'friends', title: `IPR ${split}: friends`, result: measurement.summary(friends, split) },
        ];
        if (file !== undefined) {
          const locomo = await measurement.run(locomoDataset(file));
          const result = measurement.summary(locomo, 'test', ({ slices }) => !slices.includes(ADVERSARIAL));
          parts.push({ name: 'locomo', title: 'LoCoMo, categories 1 to 4', result });
        }
        if (file !== undefined && prefeval !== undefined) {
          const run = await measurement.run(prefevalDataset(prefeval, file, 'explicit', measurement.seed));
          const result = measurement.summary(run, 'explicit');
          parts.push({ name: 'prefeval', title: 'PrefEval, explicit form, stitched', result });
        }
        await emit(invocation, 'ablation', parts);
      },
      ABLATION_ARMS,
    );
  },
};
