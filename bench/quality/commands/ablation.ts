// bench ablation: ontomem's recall with one part at a time left out, on our own and on given conversations.
import type { Command } from '../../../src/cli/command.js';
import { ABLATION_ARMS } from '../ablations.js';
import { IMPLICIT, iprDataset, splitNamed } from '../datasets/ipr.js';
import { ADVERSARIAL, locomoDataset } from '../datasets/locomo.js';
import { Measurement } from '../measure.js';
import { DATA_OPTION, QUALITY_OPTIONS, SPLIT_OPTION } from '../options.js';
import { emit, type NamedPart } from '../output.js';

export const command: Command = {
  name: 'bench ablation',
  words: '',
  summary: 'Measures what each part of the recall contributes, on IPR and, with --data, on LoCoMo.',
  example: 'npm run -s bench -- ablation --data locomo10.json',
  options: { ...SPLIT_OPTION, ...DATA_OPTION, ...QUALITY_OPTIONS },
  async run(invocation) {
    const split = splitNamed(invocation.text('split') ?? 'test');
    const file = invocation.text('data');
    await Measurement.within(
      invocation,
      'ablation',
      async (measurement) => {
        const run = await measurement.run(iprDataset(split, 'dialogues', measurement.seed));
        const implicit = measurement.summary(run, split, ({ slices }) => slices.includes(IMPLICIT));
        const explicit = measurement.summary(run, split, ({ slices }) => !slices.includes(IMPLICIT));
        const parts: NamedPart[] = [
          { name: 'implicit', title: `IPR ${split}: implicit queries`, result: implicit },
          { name: 'explicit', title: `IPR ${split}: explicit queries`, result: explicit },
        ];
        if (file !== undefined) {
          const locomo = await measurement.run(locomoDataset(file));
          const result = measurement.summary(locomo, 'test', ({ slices }) => !slices.includes(ADVERSARIAL));
          parts.push({ name: 'locomo', title: 'LoCoMo, categories 1 to 4', result });
        }
        await emit(invocation, 'ablation', parts);
      },
      ABLATION_ARMS,
    );
  },
};
