// bench pathology: requests that hang on an alias, on old turns, or on what was said just before.
import type { Command } from '../../../src/cli/command.js';
import { corpusNamed, iprDialogues } from '../datasets/ipr.js';
import { Measurement } from '../measure.js';
import { QUALITY_OPTIONS, SPLIT_OPTION } from '../options.js';
import { emit } from '../output.js';

/** The paper's three, then two of our own. */
const PATHOLOGIES = [
  { name: 'alias', title: 'Alias or pronoun', slice: 'slice=alias' },
  { name: 'gap', title: 'Time gap of 60 turns and more', slice: 'gap=60+' },
  { name: 'ellipsis', title: 'Ellipsis and deixis', slice: 'slice=ellipsis' },
  { name: 'changed', title: 'Preference that changed', slice: 'slice=changed' },
  { name: 'other', title: "Other person's preference", slice: 'slice=other' },
] as const;

export const command: Command = {
  name: 'bench pathology',
  words: '',
  summary: 'Measures implicit recall where dialogue makes it hard.',
  example: 'npm run -s bench -- pathology --arms dense,fused',
  options: { ...SPLIT_OPTION, ...QUALITY_OPTIONS },
  async run(invocation) {
    const corpus = corpusNamed(invocation.text('split') ?? 'dev');
    await Measurement.within(invocation, 'pathology', async (measurement) => {
      const run = await measurement.run(iprDialogues(corpus, measurement.seed));
      const parts = PATHOLOGIES.map(({ name, title, slice }) => ({
        name,
        title,
        result: measurement.summary(run, corpus.split, ({ slices }) => slices.includes(slice)),
      }));
      await emit(invocation, 'pathology', parts);
    });
  },
};
