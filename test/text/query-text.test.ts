// What is read of a query: the query is never cut for the sake of its context.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { queryText } from '../../src/text/query-text.js';

const test = suite('query text');
/** A tokenizer of words, with the two marks of BERT. */
const words = (maxTokens: number) => ({
  maxTokens,
  countTokens: (text: string) => 2 + (text.match(/\S+/gu)?.length ?? 0),
});

test('the turns just before a query stand before it, oldest first, two at most', () => {
  const context = ['long ago', 'dinner on Saturday?', 'we went to the Thai place'];
  assert.is(
    queryText({ query: 'and for Sunday?', context }, { maxTokens: 512 }),
    'dinner on Saturday? we went to the Thai place and for Sunday?',
  );
  assert.is(queryText({ query: 'alone', context: [] }, { maxTokens: 512 }), 'alone');
  assert.is(queryText({ query: 'alone', context: ['', ''] }, { maxTokens: 512 }).trim(), 'alone');
});

test('of a context that is too long the latest words stay, as many as fit', () => {
  const long = Array.from({ length: 5000 }, (_, n) => `w${n}`).join(' ');
  const text = queryText({ query: 'what did I say last?', context: [long] }, words(24));
  const kept = text.split(' ');
  assert.equal(kept.slice(-6), ['w4999', ...'what did I say last?'.split(' ')]);
  assert.ok(kept.length <= 20 && kept.length >= 16, `${kept.length} words`);
});

test('a context never outweighs the query, however much room there is', () => {
  const context = ['before '.repeat(1000), `${'before '.repeat(1000)}just before`];
  const text = queryText({ query: 'and then?', context }, words(100_000));
  assert.ok(text.length < 220 && text.endsWith('just before and then?'), text);
});

test('a query that fills the room has it for itself', () => {
  const query = Array.from({ length: 600 }, (_, n) => `q${n}`).join(' ');
  for (const reader of [{ maxTokens: 512 }, words(512)]) {
    assert.is(queryText({ query, context: ['context'] }, reader), query);
  }
});

test('whatever comes in, the text ends in the whole query, is well-formed and fits if the query does', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 400 });
  fc.assert(
    fc.property(
      text,
      fc.array(text, { maxLength: 4 }),
      fc.integer({ min: 4, max: 300 }),
      fc.boolean(),
      (query, context, maxTokens, counts) => {
        const reader = counts ? words(maxTokens) : { maxTokens };
        const read = queryText({ query, context }, reader);
        assert.ok(read.endsWith(query));
        assert.ok(read.isWellFormed() || !query.isWellFormed() || !context.join('').isWellFormed());
        if (read === query) return;
        const tokens = counts ? words(0).countTokens(read) : Buffer.byteLength(read);
        assert.ok(tokens <= maxTokens || Buffer.byteLength(read) <= maxTokens, `${tokens} of ${maxTokens}`);
      },
    ),
  );
});

test.run();
