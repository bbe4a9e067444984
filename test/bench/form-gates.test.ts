// Form does not solve the measure: the gates hold in every split, and they notice a corpus that gives itself away.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Corpus, readCorpus } from '../../bench/ipr/corpus.js';
import { REQUEST_SLICES, SPLITS } from '../../bench/ipr/person.js';
import { servicesOf, withEncoder } from '../../bench/quality/bench-encoder.js';
import { formOf } from '../../bench/quality/form/features.js';
import { formAuc } from '../../bench/quality/form/form-model.js';
import {
  changeWords10BySlice,
  giveAwaysOf,
  longest10BySlice,
  MOST,
  MOST_OF_SLICE,
} from '../../bench/quality/form/give-aways.js';
import { areaUnderCurve, fitLogistic, logit } from '../../bench/quality/form/logistic.js';

const test = suite('form gates');

for (const split of SPLITS) {
  test(`${split} gives nothing away to whoever does not read the request`, async () => {
    const { auc, longest10, noQuery } = await withEncoder(undefined, (opened) =>
      giveAwaysOf(readCorpus(split), servicesOf(opened), 1),
    );
    assert.ok(auc <= MOST.auc, `form AUC ${auc.toFixed(3)}`);
    assert.ok(longest10 <= MOST.longest10, `longest ten ${longest10.toFixed(3)}`);
    assert.ok(noQuery <= MOST.noQuery, `no query ${noQuery.toFixed(3)}`);
  });
}

for (const split of SPLITS) {
  test(`the ten longest turns answer no slice of ${split}`, () => {
    const slices = longest10BySlice(readCorpus(split), 1);
    assert.equal([...slices.keys()].sort(), REQUEST_SLICES.map((slice) => `slice=${slice}`).sort());
    for (const [slice, recall] of slices) {
      assert.ok(recall <= MOST_OF_SLICE, `${slice}: longest ten ${recall.toFixed(3)}`);
    }
  });
}

// 'changed' is the exception, and bench/README.md says so: its statements tell of a change in words of change.
for (const split of SPLITS) {
  test(`words of change answer no slice of ${split} but 'changed'`, () => {
    for (const [slice, recall] of changeWords10BySlice(readCorpus(split), 1)) {
      if (slice === 'slice=changed') continue;
      assert.ok(recall <= MOST_OF_SLICE, `${slice}: words of change ${recall.toFixed(3)}`);
    }
  });
}

test('a corpus whose statements are the long turns is noticed', () => {
  const dev = readCorpus('dev');
  // As a train split each person is judged by a model of the others, which have the same fault.
  const stretched: Corpus = {
    ...dev,
    split: 'train',
    people: dev.people.map((person) => ({
      ...person,
      sessions: person.sessions.map((session) => ({
        ...session,
        turns: session.turns.map((turn) =>
          turn.kind === 'statement'
            ? { ...turn, text: `${turn.text} ${'and so on and so forth '.repeat(12)}` }
            : turn,
        ),
      })),
    })),
  };
  assert.ok(formAuc(stretched) > MOST.auc);
});

test('the regression separates what a feature separates, and the area counts ties half', () => {
  const rows = ['I like tea.', 'I like soup.', 'Is it late?', 'Is it open?'].map(formOf);
  const model = fitLogistic(rows, [true, true, false, false]);
  assert.ok(rows.slice(0, 2).every((row) => logit(model, row) > 0));
  assert.ok(rows.slice(2).every((row) => logit(model, row) < 0));
  assert.is(areaUnderCurve([3, 2, 1, 0], [true, true, false, false]), 1);
  assert.is(areaUnderCurve([1, 1, 1, 1], [true, false, true, false]), 0.5);
});

test.run();
