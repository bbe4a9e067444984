// Encoders that callers pass: whatever they give wrongly is a typed error, and nothing of it is stored.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { EncodeOptions, EncoderIdentity, Encoding } from '../../src/contract/encoder.js';
import { CheckedEncoder } from '../../src/encode/checked-encoder.js';
import { TextEncoder } from '../../src/encode/run/text-encoder.js';
import { openMemory } from '../../src/memory/memory.js';
import { encoderCodec } from '../../src/store/records.js';
import { all, failure, present } from '../support/expecting.js';
import { ADA, idsOf, newStorePath, openTiny, ranking, someTurns } from '../support/memories.js';
import { TinyEncoder } from '../support/tiny-encoder.js';

const test = suite('encoders of callers');

/** Spoils an encoding while it is told to. */
class SpoilingEncoder extends TinyEncoder {
  spoil: ((encoding: Encoding) => unknown) | undefined;

  override async encode(texts: readonly string[], options: EncodeOptions): Promise<Encoding> {
    const encoding = await super.encode(texts, options);
    return this.spoil === undefined ? encoding : (this.spoil(encoding) as Encoding);
  }
}

const changed = (change: (vectors: Float32Array) => void) => (encoding: Encoding) => {
  change(encoding.vectors);
  return encoding;
};
const SPOILED: ReadonlyArray<[string, RegExp, (encoding: Encoding) => unknown]> = [
  ['one NaN', /not finite/, changed((vectors) => vectors.fill(Number.NaN, 5, 6))],
  ['an infinity', /not finite/, changed((vectors) => vectors.fill(Number.NEGATIVE_INFINITY, 3, 4))],
  ['a norm of 2', /norm (2|1\.99)/, changed((vectors) => vectors.set(vectors.map((value) => 2 * value)))],
  ['zeros', /norm 0/, changed((vectors) => vectors.fill(0))],
  ['a vector too few', /numbers for/, ({ vectors }) => ({ vectors: vectors.subarray(32) })],
  [
    'a vector too many',
    /numbers for/,
    ({ vectors }) => ({ vectors: Float32Array.of(...vectors, ...vectors) }),
  ],
  ['no numbers', /numbers for/, () => ({ vectors: new Float32Array() })],
  ['doubles', /Float32Array/, ({ vectors }) => ({ vectors: Float64Array.from(vectors) })],
  ['a proxy', /Float32Array/, ({ vectors }) => ({ vectors: new Proxy(vectors, {}) })],
  [
    'a norm of 0 behind a slice that throws',
    /norm 0/,
    ({ vectors }) => ({
      vectors: Object.defineProperty(vectors.fill(0), 'slice', {
        get: () => {
          throw new Error('no slice');
        },
      }),
    }),
  ],
  ['an array of arrays', /Float32Array/, () => ({ vectors: [[1, 0]] })],
  ['nothing', /cannot be read/, () => undefined],
  [
    'a getter that throws',
    /cannot be read/,
    () => ({
      get vectors() {
        throw new Error('gone');
      },
    }),
  ],
];

for (const [name, problem, spoil] of SPOILED) {
  test(`${name} is ENCODER_INVALID, stores nothing and poisons nothing`, async () => {
    const encoder = new SpoilingEncoder();
    await using memory = await openTiny({ encoder });
    await memory.observe({ scope: ADA, turns: someTurns(10) });
    const before = await ranking(memory, ADA, 'tea in the garden');
    encoder.spoil = spoil;
    const error = await failure('ENCODER_INVALID', () =>
      memory.observe({ scope: ADA, turns: someTurns(2, 10) }),
    );
    assert.match(error.problem, problem);
    assert.ok(!error.cure.includes('folder'), error.cure);
    await failure('ENCODER_INVALID', () => memory.recall({ scope: ADA, query: 'tea' }));
    await failure('ENCODER_INVALID', () => memory.recallMany([{ scope: ADA, query: 'tea' }]));
    encoder.spoil = undefined;
    assert.is((await idsOf(memory, ADA)).length, 10);
    assert.equal(await ranking(memory, ADA, 'tea in the garden'), before);
    const records = await all(memory.export({ scope: ADA }));
    assert.is((await memory.import({ records, scope: { tenant: 't', user: 'copy' } })).stored, 10);
  });
}

test('an array that the encoder changes afterwards changes nothing that was stored', async () => {
  let last: Float32Array = new Float32Array();
  const encoder = new SpoilingEncoder();
  await using memory = await openTiny({ encoder });
  encoder.spoil = (encoding) => {
    last = encoding.vectors;
    setImmediate(() => last.fill(Number.NaN));
    return encoding;
  };
  await memory.observe({ scope: ADA, turns: someTurns(5) });
  encoder.spoil = undefined;
  assert.is(present((await memory.recall({ scope: ADA, query: 'word3' })).evidence[0]).turnId, 't3');
});

test('getters that throw beside sound vectors are typed errors, or never read', async () => {
  const encoder = new SpoilingEncoder();
  const boo = () => {
    throw new Error('boo');
  };
  const checked = new CheckedEncoder(encoder);
  encoder.spoil = ({ vectors }) => Object.defineProperty({ vectors }, 'tokenStates', { get: boo });
  assert.is((await checked.encode(['tea'], { role: 'query' })).vectors.length, 32);
  await failure('ENCODER_INVALID', () => checked.encode(['tea'], { role: 'query', tokenStates: true }));
  Object.defineProperty(encoder, 'countTokens', { get: boo });
  await failure('ENCODER_INVALID', async () => checked.countTokens('tea'));
});

test('an identity that changes while the memory is open is refused', async () => {
  const encoder = new TinyEncoder();
  await using memory = await openTiny({ encoder });
  await memory.observe({ scope: ADA, turns: someTurns(2) });
  for (const change of [
    { sha256: 'other' },
    { queryPrefix: 'q: ' },
    { maxTokens: 3 },
    { precision: 'f16' },
  ]) {
    const original = { ...encoder.identity };
    Object.assign(encoder.identity, change);
    const error = await failure('ENCODER_INVALID', () =>
      memory.observe({ scope: ADA, turns: someTurns(1, 7) }),
    );
    assert.match(error.problem, /changed its identity/);
    Object.assign(encoder.identity, original);
  }
  assert.is((await idsOf(memory, ADA)).length, 2);
});

test('an encoder without a usable identity or without encode does not open', async () => {
  const tiny = new TinyEncoder();
  const encode = async () => ({ vectors: new Float32Array() });
  const bad: unknown[] = [
    { encode },
    { encode, identity: null },
    { encode, identity: { ...tiny.identity, dimension: 0 } },
    { encode, identity: { ...tiny.identity, dimension: 1e12 } },
    { encode, identity: { ...tiny.identity, pooling: 'max' } },
    { encode, identity: { ...tiny.identity, name: '\ud800' } },
    { encode, identity: { ...tiny.identity, maxTokens: undefined } },
    { encode: 1, identity: tiny.identity },
    {
      encode,
      get identity() {
        throw new Error('no');
      },
    },
  ];
  for (const encoder of bad) {
    const path = newStorePath();
    await failure('ENCODER_INVALID', () => openMemory({ path, encoder: encoder as never }));
    // The store was closed again: another may open it.
    await (await openMemory({ path, encoder: new TinyEncoder() })).close();
  }
});

test('an encoder that openMemory opened is closed when opening fails afterwards, one that was passed is not', async () => {
  const path = newStorePath();
  await (await openMemory({ path, encoder: new TinyEncoder() })).close();
  const { close } = TextEncoder.prototype;
  let closed = 0;
  TextEncoder.prototype.close = async function () {
    closed++;
    return close.call(this);
  };
  try {
    await failure('ENCODER_MISMATCH', () => openMemory({ path }));
    assert.is(closed, 1);
  } finally {
    TextEncoder.prototype.close = close;
  }
  const passed = new TinyEncoder({ seed: 2 });
  await failure('ENCODER_MISMATCH', () => openMemory({ path, encoder: passed }));
  assert.is(passed.closed, false);
});

test('what an encoder throws is the cause of an ENCODER_FAILED', async () => {
  let thrown: unknown;
  const encoder = new TinyEncoder({
    before: () => {
      if (thrown !== undefined) throw thrown;
    },
  });
  await using memory = await openTiny({ encoder });
  const hostile = Object.create(null) as object;
  for (const value of [new Error('the model file went away'), 'text', 7, hostile, null]) {
    thrown = value;
    const error = await failure('ENCODER_FAILED', () => memory.recall({ scope: ADA, query: 'tea' }));
    assert.is(error.cause, value);
    await failure('ENCODER_FAILED', () => memory.observe({ scope: ADA, turns: someTurns(1) }));
  }
});

test('another token limit, tokenizer, prefix or precision is another encoder to a store', async () => {
  const path = newStorePath();
  await (await openMemory({ path, encoder: new TinyEncoder() })).close();
  const changes: Array<Partial<EncoderIdentity>> = [
    { maxTokens: 128 },
    { configSha256: 'other' },
    { precision: 'f16' },
    { queryPrefix: 'query: ' },
  ];
  for (const change of changes) {
    const encoder = new TinyEncoder();
    Object.assign(encoder.identity, change);
    const error = await failure('ENCODER_MISMATCH', () => openMemory({ path, encoder }));
    assert.match(error.cure, /reencode/);
  }
});

test('an identity of the earlier shape reads as one that matches nothing', () => {
  const { configSha256: _c, maxTokens: _m, precision: _p, ...earlier } = new TinyEncoder().identity;
  const read = encoderCodec.decode(encoderCodec.encode(earlier as EncoderIdentity));
  assert.equal([read.configSha256, read.maxTokens, read.precision], ['', 0, '']);
});

test.run();
