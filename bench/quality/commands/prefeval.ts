// bench prefeval: PrefEval preferences among the turns of LoCoMo, in each of the three forms.
import { join } from 'node:path';
import { type Command, type Invocation, UsageError } from '../../../src/cli/command.js';
import {
  PREFEVAL_FORMS,
  PREFEVAL_POOLS,
  type PrefevalForm,
  prefevalDataset,
  prefevalStatements,
} from '../datasets/prefeval.js';
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
    forms: { type: 'string', value: 'A,B', help: `of ${PREFEVAL_FORMS.join(', ')}; all when absent` },
    ...QUALITY_OPTIONS,
  },
  async run(invocation) {
    const forms = formsOf(invocation);
    const folder = dataPath(invocation, 'prefeval');
    const locomo = invocation.text('locomo') ?? join(folder, '..', 'locomo10.json');
    await Measurement.within(invocation, 'prefeval', async (measurement) => {
      const parts: NamedPart[] = [];
      for (const form of forms) {
        const run = await measurement.run(prefevalDataset(folder, locomo, form, measurement.seed));
        parts.push({ name: form, title: `PrefEval, ${form} form`, result: measurement.summary(run, form) });
      }
      const statements: Record<string, Record<string, object>> = {};
      for (const form of forms) {
        for (const pool of PREFEVAL_POOLS) {
          const statementsOnly = prefevalStatements(folder, form, pool, measurement.seed);
          const run = await measurement.run(statementsOnly, { timed: false });
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

/** @throws UsageError naming a form that does not exist. */
function formsOf(invocation: Invocation): readonly PrefevalForm[] {
  const names = invocation.text('forms')?.split(',') ?? PREFEVAL_FORMS;
  return names.map((name) => {
    const form = PREFEVAL_FORMS.find((known) => known === name.trim());
    if (form !== undefined) return form;
    throw new UsageError(`there is no form '${name}'; there are ${PREFEVAL_FORMS.join(', ')}`);
  });
}
