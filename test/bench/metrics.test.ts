// Metrics, intervals and costs against values worked out by hand.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { queryCost, tokensOf } from '../../bench/quality/cost.js';
import { mean, ndcgAt, percentile, recallAt, reciprocalRank } from '../../bench/quality/metrics.js';
import { bootstrapInterval, holm, pairedSignificance } from '../../bench/quality/statistics.js';

const ranking = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k'];
const decide = (...ids: string[]) => new Map(ids.map((id) => [id, 2]));
const near = (actual: number, expected: number) =>
  assert.ok(Math.abs(actual - expected) < 1e-9, `${actual} is not ${expected}`);

test('recall is the share of the gold among the first k', () => {
  near(recallAt(ranking, new Set(['b', 'k']), 10), 0.5);
  near(recallAt(ranking, new Set(['b', 'k']), 1), 0);
  near(recallAt(ranking, new Set(['b', 'k', 'z', 'y']), 11), 0.5);
});

test('nDCG discounts by place and is 1 for the best order', () => {
  near(ndcgAt(ranking, decide('a', 'b'), 10), 1);
  // Gold at places 2 and 4: (1/log2 3 + 1/log2 5) over (1 + 1/log2 3).
  near(ndcgAt(ranking, decide('b', 'd'), 10), (0.63092975357 + 0.43067655807) / (1 + 0.63092975357));
  near(ndcgAt(ranking, decide('k'), 10), 0);
  // More gold than places: the ideal fills the k places.
  near(ndcgAt(['a'], decide('a', 'b', 'c'), 1), 1);
});

test('a turn that decides gains three times what one that helps does', () => {
  const grades = new Map([
    ['a', 1],
    ['b', 2],
  ]);
  near(ndcgAt(['b', 'a'], grades, 10), 1);
  near(ndcgAt(['a', 'b'], grades, 10), (1 + 3 * 0.63092975357) / (3 + 0.63092975357));
});

test("Holm's correction multiplies the smallest most and never lets a larger one fall below it", () => {
  assert.equal(
    holm([0.01, 0.04, 0.03]).map((p) => Math.round(p * 1e6) / 1e6),
    [0.03, 0.06, 0.06],
  );
  assert.equal(holm([0.9, 0.8]), [1, 1]);
});

test('the reciprocal rank is of the first gold turn', () => {
  near(reciprocalRank(ranking, new Set(['d', 'b'])), 0.5);
  near(reciprocalRank(ranking, new Set(['z'])), 0);
});

test('percentiles are values that were measured', () => {
  const values = Array.from({ length: 100 }, (_, i) => 100 - i);
  assert.is(percentile(values, 0.5), 50);
  assert.is(percentile(values, 0.95), 95);
  assert.is(percentile(values, 0.99), 99);
  assert.is(percentile([7], 0.95), 7);
  assert.is(percentile([], 0.95), 0);
});

test('an interval holds the mean, narrows with more clusters and repeats with its seed', () => {
  const sample = (clusters: number) => ({
    values: Array.from({ length: clusters * 4 }, (_, i) => Number(i % 2 === 0)),
    clusters: Array.from({ length: clusters * 4 }, (_, i) => `c${Math.floor(i / 3)}`),
  });
  const [few, many] = [sample(6), sample(600)];
  const [low, high] = bootstrapInterval(few.values, few.clusters, 1);
  assert.ok(low < mean(few.values) && mean(few.values) < high);
  const [lower, higher] = bootstrapInterval(many.values, many.clusters, 1);
  assert.ok(higher - lower < (high - low) / 3);
  assert.equal(bootstrapInterval(few.values, few.clusters, 1), [low, high]);
});

test('queries of one cluster are drawn together: the interval is that of the clusters', () => {
  const values = [...new Array<number>(50).fill(1), ...new Array<number>(50).fill(0)];
  const together = values.map((value) => `c${value}`);
  const alone = values.map((_, i) => `c${i}`);
  assert.equal(bootstrapInterval(values, together, 1), [0, 1]);
  const [low, high] = bootstrapInterval(values, alone, 1);
  assert.ok(low > 0.35 && high < 0.65);
});

test('significance: equal methods give 1, a method that wins everywhere the smallest value', () => {
  const clusters = Array.from({ length: 40 }, (_, i) => `c${i}`);
  const worse = clusters.map((_, i) => (i % 3) / 10);
  assert.is(pairedSignificance(worse, worse, clusters, 1), 1);
  assert.ok(
    pairedSignificance(
      worse.map((value) => value + 0.5),
      worse,
      clusters,
      1,
    ) < 0.001,
  );
  // Three clusters can be flipped in 8 ways; 2 of them are as extreme: p = .25.
  const [a, b, c] = [
    [1, 1, 1],
    [0, 0, 0],
    ['x', 'y', 'z'],
  ] as const;
  assert.ok(Math.abs(pairedSignificance(a, b, c, 1) - 0.25) < 0.03);
});

test('cost: prompt tokens dominate, encoder work counts by its layers', () => {
  const identity = {
    name: 'all-MiniLM-L6-v2',
    sha256: '',
    configSha256: '',
    maxTokens: 512,
    precision: 'f32',
    dimension: 384,
    pooling: 'mean',
    queryPrefix: '',
    passagePrefix: '',
  } as const;
  // 1,000 tokens at .15 dollars a million.
  near(queryCost({ candidatesScored: 0 }, 1000, identity), 0.00015);
  const six = queryCost({ candidatesScored: 0, encoderTokens: 100 }, 0, identity);
  const twelve = queryCost({ candidatesScored: 0, encoderTokens: 100 }, 0, {
    ...identity,
    name: 'e5-small-v2',
  });
  near(twelve / six, 2);
  // 100 tokens x 2 x 6 layers x 12 x 384^2 operations at 25 GFLOP/s and .045 dollars an hour.
  near(six * 1e9, ((100 * 2 * 6 * 12 * 384 * 384) / 25e9 / 3600) * 0.045 * 1e9);
  assert.is(tokensOf('twelve chars'), 5);
});

test.run();
