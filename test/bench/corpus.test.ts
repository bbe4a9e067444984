// The authored corpus keeps its rules: size, variety, apart splits, implicit queries without shared words.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sharedStems } from '../../bench/ipr/content-stems.js';
import { type Corpus, currentStatement, SPLITS } from '../../bench/ipr/corpus.js';
import {
  allTexts,
  maskedQueries,
  maskedStatements,
  queries,
  wholeCorpus,
} from '../../bench/ipr/corpus-texts.js';
import { NEAR_DUPLICATE, overlapOf } from '../../bench/ipr/split-overlap.js';
import { labelledSpans, trainingPairs } from '../../bench/ipr/training.js';
import { distinctOpenings, maskNamed, nearDuplicates, repeatedWindows } from '../../bench/ipr/variety.js';

const corpus = wholeCorpus();
const splits = SPLITS.map((split) => corpus[split]);
const personas = splits.flatMap((split) => split.personas);
const preferences = personas.flatMap((persona) => persona.preferences);

test('the corpus is as large as the benchmark promises', () => {
  assert.ok(personas.length >= 60, `${personas.length} personas`);
  const statements = splits.flatMap(maskedStatements).length;
  assert.ok(statements >= 1200, `${statements} statements`);
  const implicit = preferences.flatMap((preference) => preference.implicit).length;
  assert.ok(implicit >= 1200, `${implicit} implicit queries`);
  const explicit = splits.flatMap(queries).length - implicit;
  assert.ok(explicit >= 1500, `${explicit} explicit queries`);
  const concepts = new Set(preferences.map(({ concept }) => concept.toLowerCase())).size;
  assert.ok(concepts >= 150, `${concepts} concepts`);
  const utterances = 2 * personas.flatMap(({ distractors }) => distractors).length;
  assert.ok(utterances >= 3000, `${utterances} distractor utterances`);
});

test('no frame of five words comes back in more than four statements or queries', () => {
  assert.equal(repeatedWindows(splits.flatMap(maskedStatements), 4), []);
  assert.equal(repeatedWindows(splits.flatMap(maskedQueries), 4), []);
});

test('most openings of three words are distinct', () => {
  assert.ok(distinctOpenings(splits.flatMap(maskedStatements)) >= 0.6);
  assert.ok(distinctOpenings(splits.flatMap(maskedQueries)) >= 0.6);
});

for (const split of splits) {
  test(`no two texts of ${split.split} are near-duplicates`, () => {
    assert.equal(nearDuplicates(allTexts(split), NEAR_DUPLICATE), []);
  });
}

test('the splits share no person, text, concept or named item', () => {
  const apart = { people: [], texts: [], concepts: [], named: [] };
  assert.equal(overlapOf(corpus.train, corpus.dev), apart);
  assert.equal(overlapOf(corpus.train, corpus.test), apart);
  assert.equal(overlapOf(corpus.dev, corpus.test), apart);
});

test('a planted leak is found', () => {
  const [first] = corpus.train.personas;
  if (first === undefined) throw new Error('no persona');
  const preference = first.preferences.find(({ named }) => named.length > 0);
  if (preference === undefined) throw new Error('no preference with a named item');
  const reworded = {
    ...preference,
    statement: `Well, ${preference.statement}`,
    implicit: preference.implicit,
  };
  const leaky: Corpus = {
    ...corpus.test,
    personas: [
      ...corpus.test.personas,
      { ...first, name: 'Someone Else', preferences: [reworded], distractors: [], questions: [] },
    ],
  };
  const overlap = overlapOf(corpus.train, leaky);
  assert.ok(overlap.texts.some((entry) => entry.includes(preference.id)));
  assert.ok(overlap.concepts.length > 0);
  assert.ok(overlap.named.length > 0);
  assert.equal(overlap.people, []);
});

test('an implicit query shares no word with content with what was said', () => {
  const shared = personas.flatMap((persona) =>
    persona.preferences.flatMap(({ id, lead = '', statement, later, implicit }) =>
      implicit.flatMap(({ text }) => {
        const stems = sharedStems(text, `${lead} ${statement} ${later?.statement ?? ''}`);
        return stems.length === 0 ? [] : [`${persona.id} ${id}: ${stems.join(' ')}`];
      }),
    ),
  );
  assert.equal(shared, []);
});

test('labels point into their texts', () => {
  for (const persona of personas) {
    const ids = new Set(persona.preferences.map(({ id }) => id));
    assert.is(ids.size, persona.preferences.length, `${persona.id}: preference ids`);
    for (const { gold, text, kind } of persona.questions) {
      assert.ok(
        gold.every((id) => ids.has(id)),
        `${persona.id}: gold of '${text}'`,
      );
      assert.is(gold.length === 0, kind === 'unanswerable', `${persona.id}: '${text}'`);
      assert.ok(kind !== 'multihop' || gold.length >= 2, `${persona.id}: '${text}'`);
    }
    for (const { id, kind, subject, later, trapFor, statement } of persona.preferences) {
      const place = `${persona.id} ${id}`;
      assert.is(later !== undefined, kind === 'changed', `${place}: later`);
      assert.ok(subject === 'user' || statement.includes(subject), `${place}: subject`);
      assert.ok(kind !== 'other' || subject !== 'user', `${place}: someone else's`);
      assert.ok(trapFor === undefined || ids.has(trapFor), `${place}: trap`);
    }
  }
  for (const { text, start, end, persona } of splits.flatMap(labelledSpans)) {
    assert.ok(start >= 0 && end <= text.length && end > start, `${persona}: span of '${text}'`);
  }
});

test('gold of a two-person conversation names its turns, in ascending sessions', () => {
  for (const { id, sessions, speakers, questions } of splits.flatMap(({ friends }) => friends)) {
    const turns = new Set(sessions.flatMap((session) => session.turns.map((turn) => turn.id)));
    assert.ok(
      questions.every(({ gold }) => gold.every((turn) => turns.has(turn))),
      id,
    );
    assert.ok(
      sessions.every((session) => session.turns.every(({ speaker }) => speakers.includes(speaker))),
      id,
    );
    const dates = sessions.map(({ at }) => Date.parse(at));
    assert.equal(
      dates,
      dates.toSorted((a, b) => a - b),
      id,
    );
  }
});

test('a training pair asks for the statement that holds now and never lists it as a negative', () => {
  const pairs = trainingPairs(corpus.train);
  const current = new Set(
    corpus.train.personas.flatMap((persona) => persona.preferences.map(currentStatement)),
  );
  for (const { statement, negatives, request } of pairs) {
    assert.ok(current.has(statement), request);
    assert.not(negatives.includes(statement), request);
    assert.ok(negatives.length >= 10, request);
  }
});

test('the measures notice what they are for', () => {
  const five = Array.from({ length: 5 }, (_, number) => ({
    place: `${number}`,
    text: `${number} I would really like some tea`,
  }));
  assert.is(repeatedWindows(five, 4).length, 2);
  assert.is(distinctOpenings([...five, ...five]), 0.5);
  assert.equal(nearDuplicates(five.slice(0, 2), NEAR_DUPLICATE), [['0', '1']]);
  assert.equal(
    nearDuplicates(
      [
        { place: 'a', text: 'And mine?' },
        { place: 'b', text: 'and mine' },
      ],
      NEAR_DUPLICATE,
    ),
    [['a', 'b']],
  );
  assert.is(maskNamed('Jaws 2 after Jaws', ['Jaws', 'Jaws 2']).includes('Jaws'), false);
  assert.equal(sharedStems('What to watch tonight?', 'I was watching the news'), ['watch']);
});

test.run();
