// The report is made from results alone, and the dispatcher knows its benchmarks.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runBench } from '../../bench/main.js';
import { dense } from '../../bench/quality/arms/dense.js';
import { benchEncoder } from '../../bench/quality/bench-encoder.js';
import { command as report } from '../../bench/quality/commands/report.js';
import { corpusNamed, iprDialogues } from '../../bench/quality/datasets/ipr.js';
import { documentOf } from '../../bench/quality/output.js';
import { paretoFront } from '../../bench/quality/report/figures.js';
import { plot } from '../../bench/quality/report/plot.js';
import { runArms } from '../../bench/quality/run.js';
import { sampleQueries } from '../../bench/quality/sample.js';
import { summarise } from '../../bench/quality/summary.js';
import { markdownTable, textTable } from '../../bench/quality/table.js';
import { VectorCache } from '../../bench/quality/vector-cache.js';
import { readInvocation, UsageError } from '../../src/cli/command.js';
import { present } from '../support/expecting.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { TinyEncoder } from '../support/tiny-encoder.js';

const encoder = new TinyEncoder();
const cache = await VectorCache.open(encoder, temporaryFolder('report'));
const run = await runArms(
  sampleQueries(iprDialogues(corpusNamed('dev'), 1), 80, 1),
  [dense],
  benchEncoder(encoder, cache),
);
const result = summarise(run, run.records, [dense], { bench: 'ipr', split: 'dev', encoder: 'tiny', seed: 1 });

test('the report holds the figures of the JSON it finds, beside the paper', async () => {
  const out = temporaryFolder('report');
  const folder = join(out, 'default');
  mkdirSync(folder);
  const part = (name: string) => ({ name, title: name, result });
  const documents: Record<string, object> = {
    ipr: documentOf(['dialogues', 'own', 'plus50', 'all', 'friends'].map(part)),
    scaling: documentOf([part('1x'), part('2x'), part('4x'), part('8x')]),
    coldstart: documentOf([part('cold'), part('mature')]),
    pathology: documentOf(['alias', 'gap', 'ellipsis', 'changed', 'other'].map(part)),
    ablation: documentOf([part('dialogues'), part('friends')]),
    locomo: documentOf([part('locomo'), part('category5')]),
    prefeval: documentOf([part('explicit'), part('choice'), part('persona')]),
    laps: documentOf([part('laps')]),
  };
  for (const [name, document] of Object.entries(documents))
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(document));
  await report.run(readInvocation(report, ['--out', out, '--quiet']));
  const text = readFileSync(join(out, 'report.md'), 'utf8');
  const recall = present(result.arms.dense).recall10.toFixed(3).replace(/^0/, '');
  assert.ok(text.includes(recall), `R@10 ${recall} is in the report`);
  assert.ok(text.includes('(.580)'), "the paper's dense figure stands beside ours");
  for (const title of [
    'Implicit Preference Recall',
    'History length',
    'Cold start',
    'Dialogue pathologies',
    'Ablation',
    'LoCoMo',
    'PrefEval',
    'LAPS',
  ]) {
    assert.ok(text.includes(`## ${title}`), title);
  }
  for (const figure of ['gap', 'history', 'pareto']) {
    assert.match(readFileSync(join(out, `${figure}.svg`), 'utf8'), /^<svg [\s\S]*<\/svg>\n$/);
    assert.ok(text.includes(`(${figure}.svg)`), figure);
  }
});

test('a report without its folder is a usage error', async () => {
  try {
    await report.run(readInvocation(report, []));
    assert.unreachable();
  } catch (error) {
    assert.instance(error, UsageError);
  }
});

test('the dispatcher names the benchmarks there are', async () => {
  try {
    await runBench(['nope']);
    assert.unreachable();
  } catch (error) {
    assert.instance(error, UsageError);
    for (const name of [
      'ipr',
      'locomo',
      'prefeval',
      'laps',
      'ablation',
      'scaling',
      'coldstart',
      'pathology',
      'report',
    ]) {
      assert.ok(String(error).includes(name), name);
    }
  }
});

test('PrefEval says which forms there are when another is asked for', async () => {
  try {
    await runBench(['prefeval', '--data', 'x', '--forms', 'sung']);
    assert.unreachable();
  } catch (error) {
    assert.instance(error, UsageError);
    assert.match(String(error), /'sung'.*explicit, choice, persona/);
  }
});

test('the Pareto front leaves out what another method beats in recall and cost', () => {
  const arm = present(result.arms.dense);
  const arms = {
    cheap: { ...arm, cost: 1, recall10: 0.5 },
    beaten: { ...arm, cost: 1.5, recall10: 0.4 },
    best: { ...arm, cost: 2, recall10: 0.7 },
    dear: { ...arm, cost: 3, recall10: 0.7 },
  };
  assert.equal(paretoFront({ ...result, arms }), ['cheap', 'best']);
});

test('tables align, plots keep every point inside and escape names', () => {
  assert.is(textTable(['a', 'long'], [['bb', '1']]), 'a   long\n--  ----\nbb     1');
  assert.is(markdownTable(['a|b', 'c'], [['1', '2']]), '| a\\|b | c |\n| --- | ---: |\n| 1 | 2 |');
  const svg = plot(
    [
      {
        name: 'a<b',
        points: [
          { x: 1, y: 0.2 },
          { x: 8, y: 0.9 },
        ],
      },
    ],
    {
      title: 't',
      xLabel: 'x',
      yLabel: 'y',
      xTicks: [1, 8].map((at) => ({ at, label: String(at) })),
      logX: true,
    },
  );
  assert.ok(svg.includes('a&lt;b'));
  for (const [, x, y] of svg.matchAll(/cx="([\d.-]+)" cy="([\d.-]+)"/g)) {
    assert.ok(Number(x) >= 0 && Number(x) <= 760 && Number(y) >= 0 && Number(y) <= 420);
  }
});

test.run();
