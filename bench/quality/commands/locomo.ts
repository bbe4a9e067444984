// bench locomo: recall of evidence on LoCoMo, per category, the adversarial questions apart.
import type { Command } from '../../../src/cli/command.js';
import type { Dataset } from '../dataset.js';
import { amongGold } from '../datasets/among-gold.js';
import { ADVERSARIAL, locomoDataset } from '../datasets/locomo.js';
import { Measurement } from '../measure.js';
import { DATA_OPTION, dataPath, QUALITY_OPTIONS } from '../options.js';
import { emit } from '../output.js';
import type { BenchResult } from '../summary.js';

export const command: Command = {
  name: 'bench locomo',
  words: '',
  summary: 'Measures recall of evidence on the public LoCoMo conversations.',
  example: 'npm run -s bench -- locomo --data locomo10.json --arms dense,bm25 --json',
  options: { ...DATA_OPTION, ...QUALITY_OPTIONS },
  async run(invocation) {
    const dataset = locomoDataset(dataPath(invocation, 'locomo10.json'));
    await Measurement.within(invocation, 'locomo', async (measurement) => {
      const run = await measurement.run(dataset);
      const matched = await measurement.run(amongGold(answerable(dataset)), { timed: false });
      const result = measurement.summary(run, dataset.split, ({ slices }) => !slices.includes(ADVERSARIAL));
      const category5 = measurement.summary(run, dataset.split, ({ slices }) => slices.includes(ADVERSARIAL));
      const withCategories = { ...result, arms: byCategory(result) };
      await emit(invocation, 'locomo', [
        {
          name: 'locomo',
          title: 'LoCoMo, categories 1 multi-hop, 2 temporal, 3 open-domain, 4 single-hop',
          result: withCategories,
        },
        {
          name: 'evidence',
          title: 'LoCoMo, categories 1 to 4, among the turns that are evidence of some question',
          result: measurement.summary(matched, dataset.split),
        },
        { name: 'category5', title: 'LoCoMo, category 5 (adversarial)', result: category5 },
      ]);
    });
  },
};

function answerable(dataset: Dataset): Dataset {
  const conversations = dataset.conversations.map((conversation) => ({
    ...conversation,
    queries: conversation.queries.filter(({ slices }) => !slices.includes(ADVERSARIAL)),
  }));
  return { ...dataset, conversations };
}

/** The arms, each with its figures under the category's number as well. */
function byCategory(result: BenchResult): BenchResult['arms'] {
  const arms = Object.entries(result.arms).map(([name, arm]) => {
    const figures = Object.entries(arm.slices).map(([label, quality]) => [
      label.replace('category=', ''),
      quality,
    ]);
    return [name, { ...arm, byCategory: Object.fromEntries(figures) }];
  });
  return Object.fromEntries(arms);
}
