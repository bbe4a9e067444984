// The training texts: as many and as broad as promised, groups of one form, apart from dev and test.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sharedStems } from '../../bench/ipr/content-stems.js';
import { readCorpus } from '../../bench/ipr/corpus.js';
import { allTexts, trainingTexts } from '../../bench/ipr/corpus-texts.js';
import { NEAR_DUPLICATE, SAME_CONCEPT, sharedTexts } from '../../bench/ipr/split-overlap.js';
import { labelledSpans, trainingPairs } from '../../bench/ipr/training.js';
import { readTrainingGroup, readTrainingTexts } from '../../bench/ipr/training-texts.js';
import { nearDuplicates } from '../../bench/ipr/variety.js';
import { VectorCache } from '../../bench/quality/vector-cache.js';
import { openEncoder } from '../../src/encode/open-encoder.js';
import { failure } from '../support/expecting.js';

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

test('concepts of train, dev and test differ in meaning', async () => {
  const concepts = {
    train: [
      ...statements.flatMap(({ labels }) => labels.map(({ concept }) => concept)),
      ...conceptsOf('train'),
    ],
    dev: conceptsOf('dev'),
    test: conceptsOf('test'),
  };
  const encoder = await openEncoder();
  const cache = await VectorCache.open(encoder);
  try {
    const { dimension } = encoder.identity;
    const vectorsOf = (names: readonly string[]) => cache.encode(names, 'passage');
    for (const [a, b] of [
      ['train', 'dev'],
      ['train', 'test'],
      ['dev', 'test'],
    ] as const) {
      const [first, second] = [await vectorsOf(concepts[a]), await vectorsOf(concepts[b])];
      const same: string[] = [];
      for (const [i, one] of concepts[a].entries()) {
        for (const [j, other] of concepts[b].entries()) {
          let cosine = 0;
          for (let k = 0; k < dimension; k++) {
            cosine += (first[i * dimension + k] ?? 0) * (second[j * dimension + k] ?? 0);
          }
          if (cosine >= SAME_CONCEPT) same.push(`${a} '${one}' ~ ${b} '${other}' ${cosine.toFixed(2)}`);
        }
      }
      assert.equal(same, []);
    }
  } finally {
    await cache.close();
    await encoder.close();
  }
});

function conceptsOf(split: 'train' | 'dev' | 'test'): string[] {
  return readCorpus(split).people.flatMap((person) => person.statements.map(({ concept }) => concept));
}

test('a line outside the grammar is an error that names file and line', async () => {
  const error = await failure('SOURCE_INVALID', () =>
    readTrainingGroup('t.txt', '# x | pets | plain | w\nS: a\n= LIKES ? | user | b | a'),
  );
  assert.match(error.message, 't.txt:3');
});

test.run();
