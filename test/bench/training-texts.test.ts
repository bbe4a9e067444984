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
import { innerProduct } from '../../bench/quality/arms/scoring.js';
import { VectorCache } from '../../bench/quality/vector-cache.js';
import { seededRandom, shuffled } from '../../bench/random.js';
import { openEncoder } from '../../src/encode/open-encoder.js';
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
  const reviewed = new Set(
    readFileSync(join(ROOT, 'bench/ipr/reviewed-concepts.txt'), 'utf8')
      .split('\n')
      .flatMap((line) => (line.startsWith('#') || line === '' ? [] : [line.split(' | ')[0] ?? ''])),
  );
  assert.ok(reviewed.size <= 30, 'an exception is an exception');
  const sides = {
    // A draw of them: all 3,500 take a minute.
    training: shuffled(
      statements.flatMap(({ labels }, place) =>
        labels.map(({ concept }) => ({ concept, place: `training ${place}` })),
      ),
      seededRandom('concepts'),
    ).slice(0, 600),
    train: conceptsOf('train'),
    dev: conceptsOf('dev'),
    test: conceptsOf('test'),
  };
  const encoder = await openEncoder();
  const cache = await VectorCache.open(encoder);
  try {
    const vectorsOf = (side: keyof typeof sides) =>
      cache.encode(
        sides[side].map(({ concept }) => concept),
        'passage',
      );
    for (const [a, b] of [
      ['training', 'dev'],
      ['training', 'test'],
      ['train', 'dev'],
      ['train', 'test'],
      ['dev', 'test'],
    ] as const) {
      const { dimension } = encoder.identity;
      const same = alike(await vectorsOf(a), await vectorsOf(b), dimension)
        .map(([i, j]) => `${sides[a][i]?.place} ~ ${sides[b][j]?.place}`)
        .filter((pair) => !reviewed.has(pair));
      assert.equal(same, [], `${a} and ${b}`);
    }
  } finally {
    await cache.close();
    await encoder.close();
  }
});

/** Pairs of rows with a cosine of SAME_CONCEPT or more. */
function alike(a: Float32Array, b: Float32Array, dimension: number): Array<[number, number]> {
  const pairs: Array<[number, number]> = [];
  for (let i = 0; i < a.length / dimension; i++) {
    const row = a.subarray(i * dimension, (i + 1) * dimension);
    for (let j = 0; j < b.length / dimension; j++) {
      if (innerProduct(b, j, row) >= SAME_CONCEPT) pairs.push([i, j]);
    }
  }
  return pairs;
}

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
