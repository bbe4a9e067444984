// The composer: same seed, same dialogues; the promised sizes; gold that exists; nothing from another split.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { COLD_TURNS, composeColdStarts } from '../../bench/ipr/cold-start.js';
import { composeDialogues, DIALOGUES, HISTORIES } from '../../bench/ipr/compose.js';
import { readCorpus, SPLITS } from '../../bench/ipr/corpus.js';
import { allTexts } from '../../bench/ipr/corpus-texts.js';
import { friendsConversations } from '../../bench/ipr/friends.js';
import { mean } from '../../bench/quality/metrics.js';
import { present } from '../support/expecting.js';

const DAY_MS = 86_400_000;
const corpora = SPLITS.map((split) => readCorpus(split));
const dialogues = corpora.flatMap((corpus) => composeDialogues(corpus, 1));
const testCorpus = readCorpus('test');

test('there are 500 dialogues, the share of each split as stated', () => {
  assert.is(dialogues.length, 500);
  for (const corpus of corpora) assert.is(composeDialogues(corpus, 3).length, DIALOGUES[corpus.split]);
});

test('dialogues have about 73 turns, 50 to 100 of them distractors, in 3 to 8 sessions over weeks', () => {
  const turns = mean(dialogues.map((dialogue) => dialogue.turns.length));
  assert.ok(turns > 70 && turns < 76, `mean ${turns}`);
  for (const { id, turns: said } of dialogues) {
    const sessions = new Set(said.map(({ session }) => session)).size;
    assert.ok(sessions >= 3 && sessions <= 8, `${id}: ${sessions} sessions`);
    const days = (present(said.at(-1)).at - present(said[0]).at) / DAY_MS;
    assert.ok(days >= 13, `${id}: ${days} days`);
    assert.ok(said.length >= 50 + 8 && said.length <= 100 + 24, `${id}: ${said.length} turns`);
  }
});

test('the same seed gives the same dialogues, another seed others', () => {
  assert.equal(composeDialogues(testCorpus, 1), composeDialogues(testCorpus, 1));
  const [first, other] = [1, 2].map((seed) =>
    present(composeDialogues(testCorpus, seed)[0]).turns.map(({ text }) => text),
  );
  assert.not.equal(first, other);
});

test('gold names turns of the dialogue, every query is asked after the last turn, ids are unique', () => {
  const queries = new Set<string>();
  for (const { turns, queries: asked } of dialogues) {
    const ids = new Set(turns.map(({ id }) => id));
    assert.is(ids.size, turns.length);
    const last = Math.max(...turns.map(({ at }) => at));
    for (const { id, gold, at, slices } of asked) {
      assert.not(queries.has(id), id);
      queries.add(id);
      assert.ok(
        [...gold].every((turn) => ids.has(turn)),
        id,
      );
      assert.ok((at ?? 0) > last, id);
      assert.is(gold.size === 0, slices.includes('query=unanswerable'), id);
    }
  }
});

test('turns are dated in order', () => {
  for (const { id, turns } of dialogues) {
    assert.ok(
      turns.every(({ at }, position) => at >= (turns[position - 1]?.at ?? 0)),
      id,
    );
  }
});

test('the gold of a changed preference is its later statement alone, two weeks or more after the first', () => {
  const changed = testCorpus.personas.flatMap(({ preferences }) =>
    preferences.flatMap(({ statement, later }) =>
      later === undefined ? [] : [{ statement, later: later.statement }],
    ),
  );
  let seen = 0;
  for (const { turns, queries } of composeDialogues(testCorpus, 1)) {
    for (const { statement, later } of changed) {
      const first = turns.find(({ text }) => text === statement);
      if (first === undefined) continue;
      const second = present(turns.find(({ text }) => text === later));
      assert.ok(second.at - first.at >= 13 * DAY_MS);
      assert.not(queries.some(({ gold }) => gold.has(first.id)));
      assert.ok(queries.some(({ gold }) => gold.has(second.id)));
      seen++;
    }
  }
  assert.ok(seen > 50);
});

test('no dialogue of a split says or asks anything of another split', () => {
  for (const corpus of corpora) {
    const own = new Set(allTexts(corpus).map(({ text }) => text));
    for (const { turns, queries } of composeDialogues(corpus, 1, 8)) {
      assert.ok(turns.every(({ text }) => own.has(text)));
      assert.ok(queries.every(({ text }) => own.has(text)));
    }
  }
});

test('a longer history is the same dialogue with more sessions: 2, 4 and 8 times the turns', () => {
  const base = composeDialogues(testCorpus, 1);
  for (const history of HISTORIES) {
    const longer = composeDialogues(testCorpus, 1, history);
    const turns = mean(longer.map((dialogue) => dialogue.turns.length));
    const expected = history * mean(base.map((dialogue) => dialogue.turns.length));
    assert.ok(Math.abs(turns / expected - 1) < 0.02, `${history}x: ${turns} turns`);
    for (const [position, { turns: said, queries }] of longer.entries()) {
      const short = present(base[position]);
      const kept = new Set(short.turns.map(({ text }) => text));
      assert.equal(
        said.flatMap(({ text }) => (kept.has(text) ? [text] : [])),
        short.turns.map(({ text }) => text),
      );
      assert.equal(
        queries.map(({ text }) => text),
        short.queries.map(({ text }) => text),
      );
    }
  }
});

test('every slice that is reported has queries', () => {
  const slices = new Set(dialogues.flatMap(({ queries }) => queries.flatMap((query) => query.slices)));
  for (const slice of [
    'phenomenon=alias',
    'phenomenon=ellipsis',
    'phenomenon=cross-domain',
    'gap=1-20',
    'gap=21-40',
    'gap=41-59',
    'gap=60+',
    'preference=changed',
    'preference=other',
    'query=implicit',
    'query=single',
    'query=multihop',
    'query=temporal',
    'query=open',
  ]) {
    assert.ok(slices.has(slice), slice);
  }
});

test('a cold start has at most ten turns and asks about what was told in it', () => {
  const cold = composeColdStarts(testCorpus, 1);
  assert.ok(cold.length >= 40);
  for (const { id, turns, queries } of cold) {
    assert.ok(turns.length <= COLD_TURNS && turns.length >= 6, `${id}: ${turns.length}`);
    assert.ok(
      queries.some(({ slices }) => slices.includes('query=implicit')),
      id,
    );
  }
});

test('two-person conversations keep their own turn ids as gold', () => {
  for (const { id, turns, queries } of friendsConversations(testCorpus)) {
    const ids = new Set(turns.map((turn) => turn.id));
    assert.ok(queries.length >= 25, id);
    assert.ok(
      queries.every(({ gold }) => [...gold].every((turn) => ids.has(turn))),
      id,
    );
  }
});

test('composing all 500 dialogues takes less than two seconds', () => {
  const started = performance.now();
  for (const corpus of corpora) composeDialogues(corpus, 5);
  assert.ok(performance.now() - started < 2000);
});

test.run();
