// Every constant that is chosen by measurement is the one its committed curve chose.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Curve, descend, LEAST_GAIN } from '../../bench/tune/descent.js';
import { gibberish, questionsAboutNothing } from '../../bench/tune/nonsense.js';
import { tunables } from '../../bench/tune/tune-command.js';
import { queryTerms } from '../../src/text/query-terms.js';
import { present } from '../support/expecting.js';
import { ROOT } from '../support/processes.js';

const { curves, chosenOn }: { curves: Record<string, { curves: Curve[] }>; chosenOn: string[] } = JSON.parse(
  readFileSync(join(ROOT, 'bench/tune/curves.json'), 'utf8'),
);

test('curves are of train and dev alone', () => {
  assert.equal(chosenOn, ['train', 'dev']);
});

for (const { name, grid, committed, start, leastGain = LEAST_GAIN } of tunables()) {
  test(`${name}: what is committed is what the curves chose`, () => {
    const own = present(curves[name]).curves;
    assert.equal(
      own.map(({ constant }) => constant),
      Object.keys(grid),
    );
    for (const { constant, values } of own) {
      const scores = values.map(({ score }) => score);
      const at = present(values.find(({ value }) => value === committed[constant]));
      // Scores are told to the fourth decimal.
      assert.ok(at.score >= Math.max(...scores) - leastGain - 1e-4, `${constant}: ${JSON.stringify(values)}`);
    }
    for (const constant of Object.keys(committed))
      if (!(constant in grid) && !constant.startsWith('calibration'))
        assert.is(committed[constant], start[constant], `${constant} has no grid and stays where it began`);
  });
}

test('the descent takes the best of each constant, and the plainer one where the gain is noise', async () => {
  const hill = ({ a, b }: { a: number; b: number }) => -((a - 2) ** 2) - (b - 1) ** 2;
  const { settings, curves: rounds } = await descend({ a: 0, b: 0 }, { a: [0, 1, 2], b: [0, 1, 2] }, hill);
  assert.equal(settings, { a: 2, b: 1 });
  assert.is(rounds.length, 2);
  const { settings: noise } = await descend({ a: 0 }, { a: [0, 1] }, ({ a }) => a * LEAST_GAIN * 0.9);
  assert.equal(noise, { a: 0 });
});

test('what means nothing has no word but function words', () => {
  assert.is(new Set(gibberish()).size > 390, true);
  for (const text of questionsAboutNothing()) assert.ok(queryTerms(text).length <= 2, text);
});

test.run();
