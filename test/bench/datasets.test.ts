// The public sets as they are read: LoCoMo's counts, PrefEval's three forms, LAPS' gold, dirt included.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite, test } from 'uvu';
import * as assert from 'uvu/assert';
import { amongGold } from '../../bench/quality/datasets/among-gold.js';
import { lapsDataset, readLaps } from '../../bench/quality/datasets/laps.js';
import { locomoDataset } from '../../bench/quality/datasets/locomo.js';
import {
  PREFEVAL_FORMS,
  PREFEVAL_POOLS,
  prefevalDataset,
  prefevalStatements,
  readPrefeval,
} from '../../bench/quality/datasets/prefeval.js';
import { present } from '../support/expecting.js';
import { temporaryFolder } from '../support/temporary-folder.js';

test('among the gold, turns that answer nothing go and nobody has a neighbour', () => {
  const turn = (id: string) => ({
    id,
    session: 's1',
    speaker: 'Ada',
    text: id,
    at: 0,
    dateSource: 'given' as const,
  });
  const query = (id: string, gold: string[]) => ({ id, text: id, gold: new Set(gold), slices: [] });
  const conversation = {
    id: 'c',
    turns: ['a', 'b', 'c', 'd'].map(turn),
    queries: [query('q1', ['d']), query('q2', ['b', 'd'])],
  };
  const { conversations } = amongGold({ name: 'x', split: 'test', conversations: [conversation] });
  const [kept] = conversations;
  assert.equal(
    present(kept).turns.map(({ id, session }) => [id, session]),
    [
      ['b', 'b'],
      ['d', 'd'],
    ],
  );
  assert.equal(present(kept).queries, conversation.queries);
});

test('a PrefEval entry that lacks a field is counted and left out', () => {
  const folder = temporaryFolder('prefeval');
  mkdirSync(join(folder, 'implicit_preference', 'persona-driven'), { recursive: true });
  const conversation = {
    '10': { user: 'Thanks, I avoid loud bars.', assistant: 'Noted.' },
    '2': { user: 'Hello there', assistant: 'Hi, avoid what?' },
  };
  const entries = [
    { preference: 'I avoid loud bars', question: 'Where to go?', conversation, fix: true },
    { preference: 'I avoid loud bars', question: '', conversation },
    { preference: 'I avoid loud bars', question: 'Where?' },
    'nonsense',
  ];
  writeFileSync(join(folder, 'implicit_preference', 'persona-driven', 'bars.json'), JSON.stringify(entries));
  const { topics, skipped } = readPrefeval(folder, 'persona');
  assert.is(skipped, 3);
  const [item] = present(topics[0]);
  assert.is(present(item).topic, 'bars');
  // Exchanges stand in the order of their numbers, not of their names; the revealing turn is the user's.
  assert.equal(present(item).said.map(({ text }) => text)[0], 'Hello there');
  assert.is(present(item).gold, 2);
});

test('LAPS: a value is found in the turns of the user that say its words, in any order', () => {
  const file = join(temporaryFolder('laps'), 'movie_dataset.json');
  const dialogue = [
    { role: 'Assistant', turn_number: 0, message: 'Do you like old thrillers?' },
    { role: 'User', turn_number: 1, message: 'Thrillers, yes, the old ones.' },
  ];
  const preferences = { genre_preferences_like: ['old thriller', 'romance', ' '], actor_dislike: ['nobody'] };
  writeFileSync(
    file,
    JSON.stringify([
      { sessions: [{ dialogue, preferences }] },
      { sessions: [{ dialogue, preferences: null }] },
      7,
    ]),
  );
  const [user, plain, ...others] = readLaps(file);
  assert.is(others.length, 0);
  assert.equal(
    present(user?.sessions[0]).preferences.map(({ value, statedBy, polarity }) => [
      value,
      statedBy,
      polarity,
    ]),
    [
      ['old thriller', ['s1:2'], 1],
      ['romance', [], 1],
      ['nobody', [], -1],
    ],
  );
  assert.equal(present(plain?.sessions[0]).preferences, []);
  const { queries } = present(lapsDataset([file]).conversations[0]);
  assert.equal(
    queries.map(({ text }) => text),
    ['genre preferences like', 'genre preferences like: old thriller'],
  );
});

test.run();

const shared = join(
  process.env.ONTOMEM_SHARED ?? fileURLToPath(new URL('../../../../shared', import.meta.url)),
  'data',
);
const locomo = join(shared, 'locomo10.json');
const given = suite('with the public files');
if (!existsSync(locomo)) {
  console.log('skipped: the public files are not here; set ONTOMEM_SHARED to the folder that holds data/');
  given.skip('counts of the public files');
} else {
  given('LoCoMo has 1,535 questions with evidence in categories 1 to 4', () => {
    const { conversations } = locomoDataset(locomo);
    const counts = new Map<string, number>();
    for (const { slices, gold } of conversations.flatMap(({ queries }) => queries)) {
      assert.ok(gold.size > 0);
      for (const slice of slices) counts.set(slice, (counts.get(slice) ?? 0) + 1);
    }
    const [one, two, three, four] = [1, 2, 3, 4].map((category) => counts.get(`category=${category}`) ?? 0);
    assert.equal([one, three, four], [282, 92, 841]);
    assert.is(282 + present(two) + 92 + 841, 1535);
    assert.is(conversations.flatMap(({ turns }) => turns).length, 5882);
  });

  for (const form of PREFEVAL_FORMS) {
    given(`PrefEval, ${form}: 50 users with one preference a topic whose gold is their turn`, () => {
      const { conversations } = prefevalDataset(join(shared, 'prefeval'), locomo, form, 1);
      assert.is(conversations.length, 50);
      for (const { turns, queries, id } of conversations) {
        assert.is(queries.length, 10, id);
        assert.is(new Set(turns.map((turn) => turn.id)).size, turns.length, id);
        assert.ok(
          turns.every(({ at }, position) => at >= (turns[position - 1]?.at ?? 0)),
          id,
        );
        for (const { gold } of queries) {
          const [stated] = turns.filter((turn) => gold.has(turn.id));
          assert.is(present(stated).speaker, present(turns[0]).speaker);
        }
      }
    });
  }

  for (const pool of PREFEVAL_POOLS) {
    given(
      `PrefEval, statements ${pool}: the person's own ten are among the candidates, each gold once`,
      () => {
        const { conversations } = prefevalStatements(join(shared, 'prefeval'), 'explicit', pool, 1);
        for (const { turns, queries, id } of conversations) {
          const names = new Set(turns.map((turn) => turn.id));
          assert.is(names.size, turns.length, id);
          assert.is(queries.length, 10, id);
          assert.ok(
            queries.every(({ gold }) => gold.size === 1 && [...gold].every((name) => names.has(name))),
          );
          if (pool === 'own') assert.is(turns.length, 10, id);
          if (pool === 'five') assert.ok(turns.length > 40 && turns.length <= 50, `${id}: ${turns.length}`);
          if (pool === 'all') assert.ok(turns.length > 400, `${id}: ${turns.length}`);
        }
      },
    );
  }

  given('LAPS: most of its gold is said in the words of the user', () => {
    const users = readLaps(join(shared, 'laps', 'movie_dataset.json'));
    const preferences = users.flatMap(({ sessions }) => sessions.flatMap((session) => session.preferences));
    assert.is(users.length, 190);
    assert.is(preferences.length, 3497);
    assert.ok(preferences.filter(({ statedBy }) => statedBy.length > 0).length > 2000);
  });
}
given.run();
