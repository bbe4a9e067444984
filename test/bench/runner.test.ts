// The runner: every arm ranks every query once, figures come out in the documented shape, controls fall to chance.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Arm } from '../../bench/quality/arm.js';
import { bm25 } from '../../bench/quality/arms/bm25.js';
import { dense } from '../../bench/quality/arms/dense.js';
import { benchEncoder } from '../../bench/quality/bench-encoder.js';
import type { Dataset } from '../../bench/quality/dataset.js';
import { corpusNamed, iprDialogues } from '../../bench/quality/datasets/ipr.js';
import { runArms } from '../../bench/quality/run.js';
import { sampleQueries } from '../../bench/quality/sample.js';
import { chanceRecall10, shuffleGold } from '../../bench/quality/shuffle.js';
import { summarise } from '../../bench/quality/summary.js';
import { VectorCache } from '../../bench/quality/vector-cache.js';
import type { Turn } from '../../src/contract/turn.js';
import { present } from '../support/expecting.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { TinyEncoder } from '../support/tiny-encoder.js';

const turns = Array.from(
  { length: 20 },
  (_, i): Turn => ({
    id: `t${i}`,
    session: `s${i >> 2}`,
    speaker: 'User',
    text: `word${i} word${i + 1}`,
    at: i,
    dateSource: 'given',
  }),
);
const tiny: Dataset = {
  name: 'tiny',
  split: 'test',
  conversations: [
    {
      id: 'c1',
      turns,
      queries: [
        { id: 'q1', text: 'word3', gold: new Set(['t3']), slices: ['kind=a'] },
        { id: 'q2', text: 'word15', gold: new Set(['t0', 't15']), slices: ['kind=b'] },
        { id: 'q3', text: 'nothing', gold: new Set(), slices: ['kind=b'] },
      ],
    },
  ],
};

/** Hands on the turns in their order, and nothing for 'nothing'. */
const inOrder: Arm = {
  name: 'in order',
  source: 'test',
  prepare: (conversation) => (query) => ({
    ids: conversation.turns.map(({ id }) => id),
    cut: query.text === 'nothing' ? 0 : 4,
    cost: { candidatesScored: 0 },
  }),
};

const encoder = new TinyEncoder();
const cache = await VectorCache.open(encoder, temporaryFolder('runner'));
const opened = benchEncoder(encoder, cache);
const labels = { bench: 'tiny', split: 'test', encoder: 'tiny', seed: 1 };

test('figures of an arm with a known ranking', async () => {
  const arms = [dense, inOrder];
  const run = await runArms(tiny, arms, opened);
  const result = summarise(run, run.records, arms, labels);
  const arm = present(result.arms['in order']);
  assert.is(result.n, 2);
  assert.is(result.unanswerable, 1);
  // q1: t3 at place 4. q2: t0 at place 1, t15 beyond the tenth.
  assert.is(arm.recall1, 0.25);
  assert.is(arm.recall5, 0.75);
  assert.is(arm.recall10, 0.75);
  assert.is(arm.mrr, (1 / 4 + 1) / 2);
  assert.is(arm.ndcg10, Math.round(((1 / Math.log2(5) + 1 / (1 + 1 / Math.log2(3))) / 2) * 1e4) / 1e4);
  assert.is(arm.faithfulness, 0.25);
  assert.is(arm.abstention, 1);
  assert.is(present(result.arms.dense).abstention, 0);
  assert.is(present(result.arms.dense).cost, 1);
  assert.ok(arm.cost < 1, 'four turns in the prompt cost less than ten');
  assert.is(present(arm.slices['kind=b']).n, 1);
  assert.ok(arm.p50Ms <= arm.p95Ms && arm.p95Ms <= arm.p99Ms);
  assert.ok(arm.ci95.recall10[0] <= arm.recall10 && arm.recall10 <= arm.ci95.recall10[1]);
  assert.ok('dense|in order' in result.overlap10 && 'dense|in order' in result.significance);
});

test('an arm that needs no vector does not pay for one', async () => {
  const run = await runArms(tiny, [dense, bm25], opened);
  const [first] = run.records;
  assert.is(present(first?.outcomes.bm25).encoderPasses, 0);
  assert.is(present(first?.outcomes.dense).encoderPasses, 1);
  assert.is(present(first?.outcomes.bm25).recall1, 1);
});

test('an untimed run finds the same and says nothing of time', async () => {
  const timed = await runArms(tiny, [dense], opened);
  const untimed = await runArms(tiny, [dense], opened, { timed: false });
  for (const [place, { outcomes }] of untimed.records.entries()) {
    assert.equal(present(outcomes.dense).top10, present(timed.records[place]?.outcomes.dense).top10);
    assert.is(present(outcomes.dense).latencyMs, undefined);
    assert.type(present(timed.records[place]?.outcomes.dense).cpuMs, 'number');
  }
});

test('with shuffled gold every method falls to chance', async () => {
  const dataset = sampleQueries(iprDialogues(corpusNamed('test'), 1), 600, 1);
  const shuffled = shuffleGold(dataset, 1);
  const arms = [dense, bm25];
  const run = await runArms(shuffled, arms, opened);
  const result = summarise(run, run.records, arms, labels);
  const chance = chanceRecall10(shuffled);
  for (const [name, { recall10 }] of Object.entries(result.arms)) {
    assert.ok(Math.abs(recall10 - chance) < 0.05, `${name}: ${recall10}, chance ${chance}`);
  }
  const honest = await runArms(dataset, arms, opened);
  const known = summarise(honest, honest.records, arms, labels);
  assert.ok(
    present(known.arms.bm25).recall10 > chance + 0.05,
    'the control means something only when labels matter',
  );
});

test('a sample keeps so many queries and is drawn by its seed', () => {
  const dataset = iprDialogues(corpusNamed('dev'), 1);
  const ids = (seed: number) =>
    sampleQueries(dataset, 50, seed).conversations.flatMap(({ queries }) => queries.map(({ id }) => id));
  assert.is(new Set(ids(1)).size, 50);
  assert.equal(ids(1), ids(1));
  assert.not.equal(ids(1), ids(2));
});

test.run();
