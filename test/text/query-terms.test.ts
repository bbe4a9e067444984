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

test('at most 256 distinct terms of the first 4,096 characters are taken, the first ones', () => {
  const words = Array.from({ length: 20_000 }, (_, n) => `${10_000 + n}`);
  assert.equal(queryTerms(words.join(' ')), termVector(words.slice(0, 256).join(' ')));
  assert.equal(queryTerms(`${' .'.repeat(2048)} word`).length, 0);
  assert.equal(queryTerms(`${' '.repeat(5000)} word`), termVector('word'));
});

test('64 KB of short words take no longer than in proportion to 8 KB', () => {
  const best = (text: string) => {
    const times = Array.from({ length: 5 }, () => {
      const begin = performance.now();
      queryTerms(text);
      return performance.now() - begin;
    });
    return Math.min(...times);
  };
  const kinds: ReadonlyArray<(n: number) => string> = [
    (n) => `${(n % 1296).toString(36)} `,
    () => 'the ',
    (n) => `${n.toString(36)}. `,
    () => '我',
    () => "a'",
  ];
  for (const word of kinds) {
    const text = (bytes: number) => Array.from({ length: bytes / 4 }, (_, n) => word(n)).join('');
    const [short, long] = [best(text(8 * 1024)), best(text(64 * 1024))];
    // Linear is 8; quadratic was 64.
    assert.ok(long < 24 * short + 5, `${JSON.stringify(word(7))}: ${short} ms, then ${long} ms`);
  }
});

test.run();
