// The training texts: as many and as broad as promised, groups of one form, apart from dev and test.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sharedStems } from '../../bench/ipr/content-stems.js';
import { readCorpus } from '../../bench/ipr/corpus.js';
import { allTexts, trainingTexts } from '../../bench/ipr/corpus-texts.js';
import { NEAR_DUPLICATE, SAME_CONCEPT, sharedTexts } from '../../bench/ipr/split-overlap.js';
import { labelledSpans, trainingPairs } from '../../bench/ipr/training.js';
import { readTrainingGroup, readTrainingTexts } from '../../bench/ipr/training-texts.js';
import { nearDuplicates } from '../../bench/ipr/variety.js';
import { withEncoder } from '../../bench/quality/bench-encoder.js';
import { VectorShard } from '../../bench/quality/vector-shard.js';
import { failure } from '../support/expecting.js';
import { ROOT } from '../support/processes.js';

const test = suite('training texts');
const groups = readTrainingTexts();
const statements = groups.flatMap((group) => group.statements);

test('3,000 statements with two requests each, over 30 domains, 8 registers and several writers', () => {
  assert.ok(statements.length >= 3000, `${statements.length} statements`);
  assert.ok(statements.every(({ requests, labels }) => requests.length === 2 && labels.length >= 1));
  assert.ok(new Set(groups.map(({ domain }) => domain)).size >= 30);
  assert.ok(new Set(groups.map(({ register }) => register)).size >= 8);
  assert.ok(new Set(groups.map(({ writer }) => writer)).size >= 3);
  for (const { file, statements: own } of groups) assert.ok(own.length >= 8, `${file}: ${own.length}`);
});

test('no text stands twice, nor in dev or test', () => {
  const texts = trainingTexts(groups).filter(({ text }) => text.split(/\s+/).length >= 6);
  assert.equal(nearDuplicates(texts, NEAR_DUPLICATE), []);
  for (const split of ['dev', 'test'] as const)
    assert.equal(sharedTexts(texts, allTexts(readCorpus(split))), []);
});

test('few requests share a word with content with their statement', () => {
  const pairs = trainingPairs(groups);
  const sharing = pairs.filter(({ request, statement }) => sharedStems(request, statement).length > 0);
  assert.ok(sharing.length / pairs.length <= 0.08, `${sharing.length} of ${pairs.length}`);
});

test('a pair never lists its own statement as a negative, and spans point into their texts', () => {
  for (const { statement, negatives } of trainingPairs(groups)) assert.not(negatives.includes(statement));
  for (const { text, span, start, end } of labelledSpans(statements)) assert.is(text.slice(start, end), span);
});

test('concepts of two splits differ in meaning, but for pairs that were read one by one', async () => {
  const reviewed = readFileSync(join(ROOT, 'bench/ipr/reviewed-concepts.txt'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  assert.ok(reviewed.length <= 30, 'an exception is an exception');
  for (const line of reviewed) assert.match(line, /^\S+ \S+ \S+ ~ \S+ \S+ \S+ \| (?:near|other): \S/);
  const sides = {
    training: statements.flatMap(({ labels }, place) =>
      labels.map(({ concept }) => ({ concept, place: `training ${place}` })),
    ),
    train: conceptsOf('train'),
    dev: conceptsOf('dev'),
    test: conceptsOf('test'),
  };
  const same = await withEncoder(undefined, async ({ encoder, cache }) => {
    const { dimension } = encoder.identity;
    const vectorsOf = (side: keyof typeof sides) =>
      cache.encode(
        sides[side].map(({ concept }) => concept),
        'passage',
      );
    const found: string[] = [];
    for (const [a, b] of [
      ['training', 'dev'],
      ['training', 'test'],
      ['train', 'dev'],
      ['train', 'test'],
      ['dev', 'test'],
    ] as const) {
      const shard = new VectorShard(await vectorsOf(b), dimension);
      const near = shard.near(await vectorsOf(a), SAME_CONCEPT);
      shard.close();
      for (const [i, rows] of near.entries())
        for (const [j] of rows) found.push(`${sides[a][i]?.place} ~ ${sides[b][j]?.place}`);
    }
    return found;
  });
  // Neither a pair that nobody read nor a review of what is no pair.
  assert.equal(same.toSorted(), reviewed.map((line) => line.split(' | ')[0] ?? '').toSorted());
});

function conceptsOf(split: 'train' | 'dev' | 'test'): Array<{ concept: string; place: string }> {
  return readCorpus(split).people.flatMap((person) =>
    person.statements.map(({ id, concept }) => ({ concept, place: `${split} ${person.id} ${id}` })),
  );
}

test('a line outside the grammar is an error that names file and line', async () => {
  const error = await failure('SOURCE_INVALID', () =>
    readTrainingGroup('t.txt', '# x | pets | plain | w\nS: a\n= LIKES ? | user | b | a'),
  );
  assert.match(error.message, 't.txt:3');
});

test.run();
