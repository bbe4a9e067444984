// The authored dialogues keep their rules: size, form, variety, splits apart, requests without shared words.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sharedStems } from '../../bench/ipr/content-stems.js';
import { readCorpus } from '../../bench/ipr/corpus.js';
import { allTexts, requestsOf, statementsOf } from '../../bench/ipr/corpus-texts.js';
import { likeLength, wordCount } from '../../bench/ipr/like-length.js';
import { type AuthoredTurn, type Person, REQUEST_SLICES, SPLITS, turnsOf } from '../../bench/ipr/person.js';
import { readPerson } from '../../bench/ipr/read-person.js';
import { common, NEAR_DUPLICATE, sharedTexts } from '../../bench/ipr/split-overlap.js';
import { distinctOpenings, nearDuplicates, repeatedWindows } from '../../bench/ipr/variety.js';
import { failure } from '../support/expecting.js';

const corpora = SPLITS.map(readCorpus);
const people = corpora.flatMap((corpus) => corpus.people);
const FIRST_PERSON = /\b(i|i'm|i've|i'd|i'll|im|ive|my|me|mine|we|our|us|we're|we've)\b/i;

const share = <T>(items: readonly T[], holds: (item: T) => boolean): number =>
  items.filter(holds).length / items.length;
const within =
  (low: number, high: number) =>
  ({ text }: AuthoredTurn): boolean =>
    wordCount(text) >= low && wordCount(text) <= high;
const ofUser = (split: readonly Person[]): AuthoredTurn[] =>
  split.flatMap(turnsOf).filter(({ by }) => by === 'User');

test('there are persons enough for 150 distinct test requests a slice', () => {
  const [train, dev, tested] = corpora.map((corpus) => corpus.people.length);
  assert.ok((train ?? 0) >= 8 && (dev ?? 0) >= 8 && (tested ?? 0) >= 32, `${train} ${dev} ${tested}`);
  const requests = corpora.at(-1)?.people.flatMap((person) => person.requests) ?? [];
  for (const slice of REQUEST_SLICES) {
    const own = new Set(requests.filter((request) => request.slice === slice).map(({ text }) => text));
    assert.ok(own.size >= 150, `${slice}: ${own.size}`);
  }
});

test('sessions have 4 to 10 turns, and every person tells 20 statements or more', () => {
  for (const { id, sessions, statements } of people) {
    assert.ok(statements.length >= 20, `${id}: ${statements.length} statements`);
    for (const { id: session, turns } of sessions) {
      assert.ok(turns.length >= 4 && turns.length <= 10, `${id} ${session}: ${turns.length} turns`);
    }
  }
});

for (const { split, people: own } of corpora) {
  test(`${split}: statements and distractors have the same form`, () => {
    const turns = ofUser(own);
    const statements = turns.filter(({ kind }) => kind === 'statement');
    const distractors = turns.filter(({ kind }) => kind !== 'statement');
    const short = share(statements, within(6, 14));
    assert.ok(short >= 0.28, `statements of 6 to 14 words: ${short}`);
    const informative = share(
      distractors,
      ({ kind, text }) => kind !== 'chat' && FIRST_PERSON.test(text) && wordCount(text) >= 6,
    );
    assert.ok(informative >= 0.75, `informative first-person distractors: ${informative}`);
    const alike = share(
      distractors,
      (turn) => turn.kind !== 'chat' && FIRST_PERSON.test(turn.text) && within(15, 40)(turn),
    );
    assert.ok(alike >= 0.5, `of 15 to 40 words: ${alike}`);
    assert.ok(statements.filter(within(80, 200)).length >= own.length, 'long statements');
    assert.ok(distractors.filter(within(80, 200)).length >= own.length, 'long distractors');
  });

  test(`${split}: no two texts are near-duplicates, no frame of five words comes back in five texts`, () => {
    assert.equal(
      nearDuplicates(allTexts({ people: own, friends: [] }).filter(longEnough), NEAR_DUPLICATE),
      [],
    );
    assert.equal(repeatedWindows(own.flatMap(statementsOf), 4), []);
    assert.equal(repeatedWindows(own.flatMap(requestsOf), 6), []);
    assert.ok(distinctOpenings(own.flatMap(requestsOf)) >= 0.6);
    assert.ok(distinctOpenings(own.flatMap(statementsOf)) >= 0.6);
  });
}

/** 'Thank you.' may be said twice. */
function longEnough({ text }: { text: string }): boolean {
  return wordCount(text) >= 6;
}

test('the splits share no person and no text', () => {
  for (const [a, b] of [
    [0, 1],
    [0, 2],
    [1, 2],
  ] as const) {
    const [first, second] = [corpora[a]?.people ?? [], corpora[b]?.people ?? []];
    const names = (all: readonly Person[]) => all.map(({ name }) => name);
    assert.equal(common(names(first), names(second)), []);
    const texts = (all: readonly Person[]) => allTexts({ people: all, friends: [] }).filter(longEnough);
    assert.equal(sharedTexts(texts(first), texts(second)), []);
  }
});

test('a request shares no word with content with the statement that decides it, but for a few', () => {
  const pairs = people.flatMap((person) =>
    person.requests
      .filter(({ slice }) => slice !== 'ellipsis' && slice !== 'alias' && slice !== 'other')
      .flatMap(({ text, intended }) =>
        intended.map((id) => {
          const turn = person.statements.find((statement) => statement.id === id)?.turn;
          return { text, said: turnsOf(person).find((own) => own.id === turn)?.text ?? '' };
        }),
      ),
  );
  const sharing = share(pairs, ({ text, said }) => sharedStems(text, said).length > 0);
  assert.ok(sharing <= 0.1, `${sharing} share a word`);
});

test('no request is answered by the one turn of its length', () => {
  for (const { id, gold, ...person } of people) {
    const turns = turnsOf(person).filter(({ by }) => by === 'User');
    for (const [request, grades] of gold) {
      for (const deciding of turns.filter((turn) => grades.get(turn.id) === 2)) {
        const others = turns.filter((turn) => !grades.has(turn.id) && likeLength(turn.text, deciding.text));
        assert.ok(others.length >= 2, `${id} ${request}: ${deciding.id}`);
      }
    }
  }
});

test('the assistant paraphrases or confirms one statement in seven or so', () => {
  const echoed = share(people, (person) => turnsOf(person).some(({ echoes }) => echoes.length > 0));
  assert.is(echoed, 1);
  const statements = people.reduce((sum, person) => sum + person.statements.length, 0);
  const echoes = new Set(
    people.flatMap((person) =>
      turnsOf(person).flatMap((turn) => turn.echoes.map((id) => `${person.id} ${id}`)),
    ),
  );
  const part = echoes.size / statements;
  assert.ok(part >= 0.1 && part <= 0.25, `${part} are echoed`);
});

test('a line outside the grammar is an error that names file and line', async () => {
  const head = '# x-01 | dev | A | food | plain | somebody';
  const cases: Array<[string, string]> = [
    ['U[wish]: tea', 'there is no kind'],
    ['U[ironic]: oh joy', 'have an id'],
    ['whatever', 'is no line of the grammar'],
    ['? plain | and now? | p99', 'no p99 is told'],
    ['= p01 | LIKES + | user | tea at four | tea', 'a label without its statement'],
  ];
  for (const [line, problem] of cases) {
    const error = await failure('SOURCE_INVALID', () => readPerson('x.txt', `${head}\n## s01 | t\n${line}`));
    assert.match(error.message, 'x.txt:3');
    assert.match(error.message, problem);
  }
  const span = await failure('SOURCE_INVALID', () =>
    readPerson(
      'x.txt',
      `${head}\n## s01 | t\nU[statement]: tea\n= p01 | LIKES + | user | tea at four | coffee`,
    ),
  );
  assert.match(span.message, 'no piece of its text');
});

test('the measures of variety notice what they are for', () => {
  const five = Array.from({ length: 5 }, (_, number) => ({
    place: `${number}`,
    text: `${number} I would really like some tea`,
  }));
  assert.is(repeatedWindows(five, 4).length, 2);
  assert.is(distinctOpenings([...five, ...five]), 0.5);
  assert.equal(nearDuplicates(five.slice(0, 2), NEAR_DUPLICATE), [['0', '1']]);
  assert.equal(sharedStems('What to watch tonight?', 'I was watching the news'), ['watch']);
});

test.run();
