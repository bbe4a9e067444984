// bench ipr: Implicit Preference Recall, our own benchmark, with what its form gives away.
import type { Command } from '../../../src/cli/command.js';
import { print } from '../../../src/cli/output.js';
import { type Corpus, readCorpus } from '../../ipr/corpus.js';
import { SPLITS } from '../../ipr/person.js';
import { POOLS } from '../../ipr/statement-pools.js';
import { corpusNamed, iprDeals, iprFriends, iprStatements } from '../datasets/ipr.js';
import {
  changeWords10BySlice,
  type GiveAways,
  giveAwaysOf,
  longest10BySlice,
  MOST,
} from '../form/give-aways.js';
import { Measurement } from '../measure.js';
import { QUALITY_OPTIONS, SPLIT_OPTION } from '../options.js';
import { emit, type NamedPart, statementFigures } from '../output.js';
import type { Run } from '../run.js';
import { type BenchResult, type Quality, round } from '../summary.js';
import { share, textTable } from '../table.js';

export const command: Command = {
  name: 'bench ipr',
  words: '',
  summary: 'Measures Implicit Preference Recall: requests months later, over dialogues and over statements.',
  example: 'npm run -s bench -- ipr --arms dense,fused --json',
  options: { ...SPLIT_OPTION, ...QUALITY_OPTIONS },
  async run(invocation) {
    const corpus = corpusNamed(invocation.text('split') ?? 'dev');
    await Measurement.within(invocation, 'ipr', async (measurement) => {
      const dialogues = await measureDialogues(measurement, corpus);
      const statements = await measureStatements(measurement, corpus);
      const friends = await measurement.run(iprFriends(corpus));
      const form = await giveAways(measurement);
      const formBySlice = giveAwaysBySlice(measurement.seed);
      const parts: NamedPart[] = [
        {
          name: 'dialogues',
          title: `IPR ${corpus.split}: requests over whole dialogues, five deals`,
          result: dialogues,
        },
        ...Object.entries(statements).map(([pool, result]) => ({
          name: pool,
          title: `IPR ${corpus.split}: the same requests over statements alone, ${pool}`,
          result,
        })),
        {
          name: 'friends',
          title: `IPR ${corpus.split}: questions about two friends`,
          result: measurement.summary(friends, corpus.split),
        },
      ];
      await emit(invocation, 'ipr', parts, {
        form,
        formBySlice,
        statements: Object.fromEntries(
          Object.entries(statements).map(([pool, result]) => [pool, statementFigures(result)]),
        ),
        slices: slicesOf(dialogues),
      });
      if (!invocation.flag('json') && !invocation.flag('quiet')) {
        printGiveAways(form);
        printBySlice(formBySlice);
      }
    });
  },
};

async function measureDialogues(measurement: Measurement, corpus: Corpus): Promise<BenchResult> {
  const { first, others } = iprDeals(corpus, measurement.seed);
  const timed = await measurement.run(first);
  const untimed = await measurement.run(others, { timed: false });
  const run: Run = {
    ...timed,
    records: [...timed.records, ...untimed.records],
    conversations: timed.conversations + untimed.conversations,
    turns: timed.turns + untimed.turns,
  };
  const result = measurement.summary(run, corpus.split);
  const arms = Object.entries(result.arms).map(([name, arm]) => [name, { ...arm, ci: arm.ci95.recall10 }]);
  return { ...result, arms: Object.fromEntries(arms) };
}

async function measureStatements(
  measurement: Measurement,
  corpus: Corpus,
): Promise<Record<string, BenchResult>> {
  const results: Record<string, BenchResult> = {};
  for (const pool of POOLS) {
    const run = await measurement.run(iprStatements(corpus, pool, measurement.seed), { timed: false });
    results[pool] = measurement.summary(run, corpus.split);
  }
  return results;
}

async function giveAways(measurement: Measurement): Promise<Record<string, GiveAways>> {
  const form: Record<string, GiveAways> = {};
  for (const split of SPLITS) {
    const { auc, longest10, noQuery } = await giveAwaysOf(
      readCorpus(split),
      measurement.services,
      measurement.seed,
    );
    form[split] = { auc: round(auc), longest10: round(longest10), noQuery: round(noQuery) };
  }
  return form;
}

/** 'split: rule' -> slice -> R@10 of a rule that never reads the request. */
function giveAwaysBySlice(seed: number): Record<string, Record<string, number>> {
  const rules = { 'longest ten': longest10BySlice, 'words of change': changeWords10BySlice };
  const found: Record<string, Record<string, number>> = {};
  for (const split of SPLITS) {
    for (const [rule, measure] of Object.entries(rules)) {
      const slices = [...measure(readCorpus(split), seed)].map(([slice, own]) => [slice, round(own)]);
      found[`${split}: ${rule}`] = Object.fromEntries(slices);
    }
  }
  return found;
}

/** Slice -> arm -> its figures with the comparison to the recall as served. */
function slicesOf({ arms, versusServed }: BenchResult) {
  const slices: Record<string, Record<string, Quality>> = {};
  for (const [arm, { slices: own }] of Object.entries(arms)) {
    for (const [slice, quality] of Object.entries(own)) {
      slices[slice] = { ...slices[slice], [arm]: { ...quality, ...versusServed[arm]?.[slice] } };
    }
  }
  return slices;
}

function printGiveAways(form: Record<string, GiveAways>): void {
  const rows = Object.entries(form).map(([split, { auc, longest10, noQuery }]) => [
    split,
    share(auc),
    share(longest10),
    share(noQuery),
  ]);
  const limits = [`at most`, share(MOST.auc), share(MOST.longest10), share(MOST.noQuery)];
  print(
    `\nWhat form gives away\n\n${textTable(['split', 'form AUC', 'longest ten', 'no query'], [...rows, limits])}`,
  );
}

function printBySlice(found: Record<string, Record<string, number>>): void {
  const rules = Object.keys(found);
  const slices = Object.keys(Object.values(found)[0] ?? {});
  const rows = slices.map((slice) => [
    slice.replace('slice=', ''),
    ...rules.map((rule) => share(found[rule]?.[slice])),
  ]);
  print(`\nThe same by slice, R@10\n\n${textTable(['slice', ...rules], rows)}`);
}
