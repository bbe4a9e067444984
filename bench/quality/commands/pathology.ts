// bench pathology: implicit queries that hang on an alias, on old turns, or on what was said just before.
import type { Command } from '../../../src/cli/command.js';
import { IMPLICIT, iprDataset, splitNamed } from '../datasets/ipr.js';
import { Measurement } from '../measure.js';
import { QUALITY_OPTIONS, SPLIT_OPTION } from '../options.js';
import { emit } from '../output.js';

/** The paper's three, then two of our own. */
const PATHOLOGIES = [
  { name: 'alias', title: 'Alias or pronoun', slice: 'phenomenon=alias' },
  { name: 'gap', title: 'Time gap of 60 turns and more', slice: 'gap=60+' },
  { name: 'ellipsis', title: 'Ellipsis and deixis', slice: 'phenomenon=ellipsis' },
  { name: 'changed', title: 'Preference that changed', slice: 'preference=changed' },
  { name: 'other', title: "Other person's preference", slice: 'preference=other' },
] as const;

export const command: Command = {
  name: 'bench pathology',
  words: '',
  summary: 'Measures implicit recall where dialogue makes it hard.',
  example: 'npm run -s bench -- pathology --arms dense,fused',
  options: { ...SPLIT_OPTION, ...QUALITY_OPTIONS },
  async run(invocation) {
    const split = splitNamed(invocation.text('split') ?? 'test');
    await Measurement.within(invocation, 'pathology', async (measurement) => {
      const run = await measurement.run(iprDataset(split, 'dialogues', measurement.seed));
      const parts = PATHOLOGIES.map(({ name, title, slice }) => ({
        name,
        title,
        result: measurement.summary(
          run,
          split,
          ({ slices }) => slices.includes(IMPLICIT) && slices.includes(slice),
        ),
      }));
      await emit(invocation, 'pathology', parts);
    });
  },
};
