// Words of any script become terms that a query in other forms of them meets.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { stemCacheCharacters, termsOf, termVector } from '../../src/text/terms.js';

function meet(text: string, query: string): boolean {
  const known = new Set(termsOf(text));
  return termsOf(query).some((term) => known.has(term));
}

test('Latin, Cyrillic and Arabic words are stemmed by their script', () => {
  assert.ok(meet('She was painting sunsets', 'paint'));
  assert.ok(meet('Я люблю читать книги', 'книга'));
  assert.ok(meet('أحب الكتب', 'كتب'));
  assert.ok(meet("Melanie's daughter", 'melanie'));
});

test('scripts without spaces are found by a part of their text', () => {
  assert.ok(meet('我对花生过敏，千万别放花生酱', '花生'));
  assert.ok(meet('夏休みに京都へ行きました', '京都'));
  assert.ok(meet('ฉันแพ้กุ้งมาก', 'กุ้ง'));
});

test('no word is dropped, however common or short', () => {
  assert.equal(termsOf('The Who and It'), ['the', 'who', 'and', 'it']);
});

test('forms of one character meet (NFKC, case)', () => {
  assert.ok(meet('ＣＡＦＥ', 'cafe'));
  assert.ok(meet('cafe\u0301', 'caf\u00e9'));
});

test('a term vector counts what termsOf lists, whatever the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
      const terms = termsOf(text);
      const { hashes, counts, length } = termVector(text);
      assert.is(length, terms.length);
      assert.is(
        counts.reduce((sum, count) => sum + count, 0),
        terms.length,
      );
      assert.is(hashes.length, 2 * new Set(terms).size);
    }),
  );
});

test('different terms have different hashes', () => {
  const words = Array.from({ length: 50_000 }, (_, i) => `w${i.toString(36)}x`);
  const { hashes } = termVector(words.join(' '));
  const pairs = new Set<string>();
  for (let i = 0; i < hashes.length; i += 2) pairs.add(`${hashes[i]}:${hashes[i + 1]}`);
  assert.is(pairs.size, new Set(termsOf(words.join(' '))).size);
});

test('the cache of stems is bounded by what it holds, not by how many', () => {
  for (let n = 0; n < 200; n++) termsOf(`${n.toString(36)}${'x'.repeat(60_000)} word${n}`);
  for (let n = 0; n < 50_000; n++) termsOf(`${'y'.repeat(40)}${n}`);
  assert.ok(stemCacheCharacters() <= 1 << 20, String(stemCacheCharacters()));
  assert.equal(termsOf('running'), ['run']);
});

test.run();
