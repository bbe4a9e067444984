// A query's words: what it asks about stays, what only makes it a question goes.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { queryTerms } from '../../src/text/query-terms.js';
import { termVector } from '../../src/text/terms.js';

function same(query: string, words: string): void {
  assert.equal(queryTerms(query), termVector(words), query);
}

test('function words of a question go', () => {
  same('What did Melanie paint for the fair?', 'Melanie paint fair');
  same("Who's coming with me, and when is it?", 'coming');
});

test('a name made of function words stays, a sentence that opens with one does not keep it', () => {
  same('When did we see The Who?', 'see The Who');
  same('I liked it. The film was long', 'liked film long');
});

test('a query of nothing but function words keeps them all', () => {
  same('what is it about', 'what is it about');
});

test('other languages are left to their frequencies', () => {
  same('wann war das im Kino', 'wann war das im Kino');
  same('我什么时候去的北京', '我什么时候去的北京');
});

test('nothing in, nothing out', () => {
  assert.is(queryTerms('').length, 0);
  assert.is(queryTerms(' ?! ').length, 0);
});

test.run();
