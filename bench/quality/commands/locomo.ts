// bench locomo: recall of evidence on LoCoMo, per category, the adversarial questions apart.
import type { Command } from '../../../src/cli/command.js';
import { chooseArms } from '../arms.js';
import { encoderOption, withEncoder } from '../bench-encoder.js';
import { ADVERSARIAL, locomoDataset } from '../datasets/locomo.js';
import { DATA_OPTION, dataPath, QUALITY_OPTIONS, seedOf } from '../options.js';
import { emit } from '../output.js';
import { runArms } from '../run.js';
import { shuffleGold } from '../shuffle.js';
import { type BenchResult, summarise } from '../summary.js';

export const command: Command = {
  name: 'bench locomo',
  words: '',
  summary: 'Measures recall of evidence on the public LoCoMo conversations.',
  example: 'npm run -s bench -- locomo --data locomo10.json --arms dense,bm25 --json',
  options: { ...DATA_OPTION, ...QUALITY_OPTIONS },
  async run(invocation) {
    const seed = seedOf(invocation);
    const arms = chooseArms(invocation.text('arms'));
    const read = locomoDataset(dataPath(invocation, 'locomo10.json'));
    const dataset = invocation.flag('shuffle-gold') ? shuffleGold(read, seed) : read;
    await withEncoder(encoderOption(invocation), async ({ encoder, cache }) => {
      const run = await runArms(dataset, arms, encoder, cache);
      const labels = { bench: 'locomo', split: dataset.split, encoder: encoder.identity.name, seed };
      const part = (adversarial: boolean) =>
        summarise(
          run,
          run.records.filter(({ slices }) => slices.includes(ADVERSARIAL) === adversarial),
          arms,
          labels,
        );
      const result = part(false);
      const category5 = part(true);
      await emit(invocation, 'locomo', locomoDocument(result, category5), [
        { title: 'LoCoMo, categories 1 multi-hop, 2 temporal, 3 open-domain, 4 single-hop', result },
        { title: 'LoCoMo, category 5 (adversarial)', result: category5 },
      ]);
    });
  },
};

/** The result with each arm's figures by category number. */
function locomoDocument(result: BenchResult, category5: BenchResult) {
  const arms = Object.entries(result.arms).map(([name, arm]) => {
    const byCategory = Object.entries(arm.slices).map(([label, figures]) => [
      label.replace('category=', ''),
      figures,
    ]);
    return [name, { ...arm, byCategory: Object.fromEntries(byCategory) }];
  });
  return { ...result, arms: Object.fromEntries(arms), category5: { n: category5.n, arms: category5.arms } };
}
