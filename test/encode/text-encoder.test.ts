// Texts of any kind and number, through the default encoder.

import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Encoder } from '../../src/contract/encoder.js';
import { defaultEncoderFolder, openEncoder } from '../../src/encode/open-encoder.js';
import { TextEncoder } from '../../src/encode/run/text-encoder.js';
import { TextTokenizer } from '../../src/encode/run/text-tokenizer.js';
import type { TokenBatch } from '../../src/encode/run/token-batches.js';
import { cosine, expectError, furthest, rowOf } from './expecting.js';

let encoder: Encoder;

test.before(async () => {
  encoder = await openEncoder();
});
test.after(() => encoder.close());

async function vectorsOf(texts: readonly string[]): Promise<Float32Array[]> {
  const { vectors } = await encoder.encode(texts, { role: 'passage' });
  return texts.map((_, i) => rowOf(vectors, encoder.identity.dimension, i));
}

test('the default encoder gives the reference values of all-MiniLM-L6-v2', async () => {
  const [vector = new Float32Array()] = await vectorsOf(['This is an example sentence']);
  assert.ok(furthest(vector.subarray(0, 3), [0.0677, 0.0636, 0.0487]) < 5e-5);
  const { name, dimension, pooling, queryPrefix, passagePrefix, sha256 } = encoder.identity;
  assert.equal(
    [name, dimension, pooling, queryPrefix, passagePrefix],
    ['all-MiniLM-L6-v2', 384, 'mean', '', ''],
  );
  assert.match(sha256, /^6638f625a0a60bda[0-9a-f]{48}$/);
});

test('a text gets the same vector alone and among others of all lengths, in the order given', async () => {
  const texts = Array.from({ length: 23 }, (_, i) => `I ran ${'very '.repeat((i * 7) % 23)}far on day ${i}.`);
  const together = await vectorsOf(texts);
  for (const i of [0, 5, 11, 22]) {
    const [alone = new Float32Array()] = await vectorsOf([texts[i] ?? '']);
    assert.ok(furthest(alone, together[i] ?? []) < 1e-5, `text ${i}`);
  }
});

test('equal texts of one call share one pass and come back at each place', async () => {
  const texts = ['I like tea.', 'I like coffee.', 'I like tea.', 'I like tea.'];
  const encoding = await encoder.encode(texts, { role: 'passage', tokenStates: true });
  const [first, second, third, fourth] = texts.map((_, i) => rowOf(encoding.vectors, 384, i));
  assert.equal(third, first);
  assert.equal(fourth, first);
  assert.not.equal(second, first);
  assert.is(encoding.tokenStates?.[2], encoding.tokenStates?.[0]);
});

test('nothing in gives nothing out', async () => {
  const encoding = await encoder.encode([], { role: 'query', tokenStates: true });
  assert.is(encoding.vectors.length, 0);
  assert.equal(encoding.tokenStates, []);
});

const hostileTexts: Record<string, string> = {
  'no text': '',
  'spaces only': ' \t\n\u00a0\u3000',
  '10 KB of one letter': 'a'.repeat(10_240),
  '10 KB of emoji': '\u{1f600}\u{1f469}\u200d\u{1f680}'.repeat(1_100),
  'control characters': `${Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).join('')}\u007f\u009f`,
  'right-to-left text with marks':
    '\u202b\u0623\u0646\u0627 \u0623\u062d\u0628 \u0627\u0644\u0642\u0647\u0648\u0629\u202c \u05e9\u05dc\u05d5\u05dd',
  Chinese: '\u6211\u5bf9\u82b1\u751f\u8fc7\u654f',
  'combining marks': `Z${'\u0351'.repeat(3000)}algo`,
  'special tokens spelled out': '[CLS] [SEP] [MASK] [PAD] [UNK]',
  'a lone surrogate': 'half \ud83d smile',
  'one word of 3,000 punctuation marks': '!?'.repeat(1500),
};
for (const [title, text] of Object.entries(hostileTexts)) {
  test(`${title} becomes a finite unit vector`, async () => {
    const encoding = await encoder.encode([text], { role: 'passage', tokenStates: true });
    assert.ok(Math.abs(cosine(encoding.vectors, encoding.vectors) - 1) < 1e-5);
    const states = encoding.tokenStates?.[0] ?? new Float32Array();
    assert.ok(states.length >= 2 * 384 && states.length <= 512 * 384);
    assert.ok(states.every(Number.isFinite));
  });
}

test('a long text is cut at 512 tokens, its closing token kept: what follows does not matter', async () => {
  const long = 'tea '.repeat(510);
  const encoding = await encoder.encode([long, `${long} and much more`, 'tea '.repeat(509)], {
    role: 'passage',
    tokenStates: true,
  });
  const [full, more, shorter] = [0, 1, 2].map((i) => rowOf(encoding.vectors, 384, i));
  assert.is(encoding.tokenStates?.[1]?.length, 512 * 384);
  assert.is(encoding.tokenStates?.[2]?.length, 511 * 384);
  assert.ok(furthest(full ?? [], more ?? []) < 1e-6);
  assert.ok(furthest(full ?? [], shorter ?? []) > 1e-6);
});

test('maxTokens cuts earlier', async () => {
  const short = await openEncoder(undefined, { maxTokens: 8 });
  const { tokenStates } = await short.encode(['one two three four five six seven eight'], {
    role: 'passage',
    tokenStates: true,
  });
  await short.close();
  assert.is(tokenStates?.[0]?.length, 8 * 384);
});

test('prefixes are put before queries and passages', async () => {
  const prefixed = await openEncoder(undefined, { queryPrefix: 'query: ', passagePrefix: 'passage: ' });
  const query = await prefixed.encode(['tea'], { role: 'query' });
  const passage = await prefixed.encode(['tea'], { role: 'passage' });
  await prefixed.close();
  const [plainQuery = [], plainPassage = []] = await vectorsOf(['query: tea', 'passage: tea']);
  assert.ok(furthest(query.vectors, plainQuery) < 1e-5);
  assert.ok(furthest(passage.vectors, plainPassage) < 1e-5);
});

/** An encoder whose model only counts: what reaches it, and when, is seen exactly. */
async function countingEncoder(
  onRun: (runs: number) => void,
): Promise<{ encoder: TextEncoder; rows: number[] }> {
  const folder = defaultEncoderFolder();
  const tokenizer = await TextTokenizer.open(join(folder, 'tokenizer.json'), join(folder, 'none.json'), {
    maxTokens: 512,
    vocabularySize: undefined,
  });
  const rows: number[] = [];
  const model = {
    run: async (batch: TokenBatch) => {
      rows.push(batch.rows.length);
      onRun(rows.length);
      return { vectors: new Float32Array(batch.rows.length), states: undefined, dimension: 1 };
    },
  };
  const identity = { ...encoder.identity, dimension: 1 };
  const parts = { identity, tokenizer, model, mixesRows: false, release: async () => {} };
  return { encoder: new TextEncoder(parts), rows };
}

const manyTexts = Array.from(
  { length: 400 },
  (_, i) => `turn ${i} of a rather long conversation about the sea`,
);

test('an aborted call runs no further batch', async () => {
  const controller = new AbortController();
  const counting = await countingEncoder((runs) => {
    if (runs === 2) controller.abort();
  });
  const call = counting.encoder.encode(manyTexts, { role: 'passage', signal: controller.signal });
  await expectError('ABORTED', 'aborted', () => call);
  assert.is(counting.rows.length, 2);
});

test('a call with a signal that is aborted already runs nothing', async () => {
  const counting = await countingEncoder(() => {});
  const options = { role: 'passage', signal: AbortSignal.abort() } as const;
  await expectError('ABORTED', 'aborted', () => counting.encoder.encode(manyTexts, options));
  assert.equal(counting.rows, []);
});

test('a text that comes a hundred times is run once', async () => {
  const counting = await countingEncoder(() => {});
  await counting.encoder.encode(new Array(100).fill('ok thanks'), { role: 'passage' });
  assert.equal(counting.rows, [1]);
});

test('other work on the thread goes on during a long call', async () => {
  let ticks = 0;
  const timer = setInterval(() => ticks++, 1);
  await encoder.encode(
    Array.from({ length: 120 }, (_, i) => `turn ${i}: we talked about boats, fish and the weather`),
    { role: 'passage' },
  );
  clearInterval(timer);
  assert.ok(ticks >= 3, `${ticks} ticks`);
});

test.run();
