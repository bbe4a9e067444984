// bench prefeval: PrefEval preferences among the turns of LoCoMo, in each of the three forms.
import { join } from 'node:path';
import type { Command } from '../../../src/cli/command.js';
import { PREFEVAL_FORMS, PREFEVAL_POOLS, prefevalDataset, prefevalStatements } from '../datasets/prefeval.js';
import { Measurement } from '../measure.js';
import { DATA_OPTION, dataPath, QUALITY_OPTIONS } from '../options.js';
import { emit, type NamedPart, statementFigures } from '../output.js';

export const command: Command = {
  name: 'bench prefeval',
  words: '',
  summary:
    'Measures recall of PrefEval preferences, stitched into LoCoMo conversations and among themselves.',
  example: 'npm run -s bench -- prefeval --data prefeval --locomo locomo10.json',
  options: {
    ...DATA_OPTION,
    locomo: { type: 'string', value: 'FILE', help: 'the LoCoMo file (default: beside --data)' },
    ...QUALITY_OPTIONS,
  },
  async run(invocation) {
    const folder = dataPath(invocation, 'prefeval');
    const locomo = invocation.text('locomo') ?? join(folder, '..', 'locomo10.json');
    await Measurement.within(invocation, 'prefeval', async (measurement) => {
      const parts: NamedPart[] = [];
      for (const form of PREFEVAL_FORMS) {
        const run = await measurement.run(prefevalDataset(folder, locomo, form, measurement.seed));
        parts.push({ name: form, title: `PrefEval, ${form} form`, result: measurement.summary(run, form) });
      }
      const statements: Record<string, Record<string, object>> = {};
      for (const form of PREFEVAL_FORMS) {
        for (const pool of PREFEVAL_POOLS) {
          const run = await measurement.run(prefevalStatements(folder, form, pool, measurement.seed));
          const result = measurement.summary(run, form);
          statements[form] = { ...statements[form], [pool]: statementFigures(result) };
          parts.push({
            name: `${form} ${pool}`,
            title: `PrefEval, ${form} form, statements: ${pool}`,
            result,
          });
        }
      }
      await emit(invocation, 'prefeval', parts, { statements });
    });
  },
};
