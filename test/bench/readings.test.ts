// The labels: complete, agreed on by two readers, joined where they differ.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readCorpus, readingOf } from '../../bench/ipr/corpus.js';
import { undecided } from '../../bench/ipr/deal.js';
import { SPLITS } from '../../bench/ipr/person.js';
import { type Agreement, agreementOf, collapsed, kappa, readReading } from '../../bench/ipr/readings.js';
import { failure, present } from '../support/expecting.js';

const people = SPLITS.flatMap((split) => readCorpus(split).people);

test('two readers agree on what supports a request', () => {
  const tables = people.map((person) =>
    agreementOf(person, readingOf(person, 'first'), readingOf(person, 'second')),
  );
  const total = tables.reduce<Agreement>(
    (sum, table) => sum.map((row, i) => row.map((count, j) => count + (table[i]?.[j] ?? 0))),
    [
      [0, 0, 0],
      [0, 0, 0],
      [0, 0, 0],
    ],
  );
  const supports = kappa(collapsed(total));
  assert.ok(supports >= 0.7, `kappa ${supports.toFixed(3)}`);
});

test('where both readers say the same, the joined reading says it too', () => {
  for (const person of people) {
    const [first, second, joined] = (['first', 'second', 'joined'] as const).map((reader) =>
      readingOf(person, reader),
    );
    for (const { id } of person.requests) {
      for (const [turn, grade] of first?.get(id) ?? []) {
        if (second?.get(id)?.get(turn) === grade) {
          assert.is(joined?.get(id)?.get(turn), grade, `${person.id} ${id} ${turn}`);
        }
      }
    }
  }
});

test('nearly every request is decided by something that was said', () => {
  const requests = people.reduce((sum, person) => sum + person.requests.length, 0);
  const without = people.flatMap(undecided).length;
  assert.ok(without / requests <= 0.03, `${without} of ${requests}`);
});

test('kappa is 1 for equal readings, 0 for chance, and notices a difference', () => {
  assert.is(
    kappa([
      [90, 0],
      [0, 10],
    ]),
    1,
  );
  assert.ok(
    Math.abs(
      kappa([
        [81, 9],
        [9, 1],
      ]),
    ) < 1e-9,
  );
  assert.ok(
    kappa([
      [88, 2],
      [3, 7],
    ]) < 0.8,
  );
  assert.equal(
    collapsed([
      [5, 1, 2],
      [3, 1, 1],
      [1, 0, 4],
    ]),
    [
      [5, 3],
      [4, 6],
    ],
  );
});

test('a reading that names no turn of the person is an error with file and line', async () => {
  const person = present(people[0]);
  const error = await failure('SOURCE_INVALID', () => readReading('r.txt', 'r01 | s99.1=2', person));
  assert.match(error.message, 'r.txt:1');
});

test.run();
