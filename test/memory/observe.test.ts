// The way in: what is stored, what is refused, and that a refusal writes nothing.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { TurnInput } from '../../src/contract/turn.js';
import { TextEncoder } from '../../src/encode/run/text-encoder.js';
import type { TextTokenizer } from '../../src/encode/run/text-tokenizer.js';
import type { TokenBatch } from '../../src/encode/run/token-batches.js';
import type { TokenModel } from '../../src/encode/run/token-model.js';
import type { ErrorCode } from '../../src/errors.js';
import { all, failure, present } from '../support/expecting.js';
import { ADA, BO, idsOf, openTiny, someTurns, turnsOf } from '../support/memories.js';
import { TinyEncoder } from '../support/tiny-encoder.js';

const test = suite('observe');

test('each distinct text is embedded once, in batches', async () => {
  const encoded: number[][] = [];
  let batches = 0;
  // The real encoder's batching over a model that only counts what reaches it.
  const encoder = new TextEncoder({
    identity: new TinyEncoder({ dimension: 4 }).identity,
    tokenizer: { encode: (text: string) => [...text].map((c) => c.codePointAt(0) ?? 0) } as TextTokenizer,
    model: {
      run: async (batch: TokenBatch) => {
        batches++;
        for (const _row of batch.rows) encoded.push([]);
        return {
          vectors: Float32Array.from({ length: batch.rows.length * 4 }, () => 0.5),
          dimension: 4,
        };
      },
    } as unknown as TokenModel,
    mixesRows: false,
    release: async () => undefined,
  });
  await using memory = await openTiny({ encoder });
  encoded.length = 0;
  batches = 0;
  const texts = ['good morning', 'ok', 'see you at six'];
  const turns = Array.from({ length: 36 }, (_, n) => ({ speaker: 'Ada', text: present(texts[n % 3]) }));
  const { stored } = await memory.observe({ scope: ADA, turns });
  assert.is(stored, 36);
  assert.is(encoded.length, 3, 'three distinct texts');
  assert.is(batches, 1, 'in one batch');
  assert.is((await turnsOf(memory, ADA)).length, 36);
});

test('one encoder call an observe, none for what is already stored', async () => {
  const encoder = new TinyEncoder();
  await using memory = await openTiny({ encoder });
  encoder.calls.length = 0;
  await memory.observe({ scope: ADA, turns: someTurns(40) });
  assert.is(encoder.calls.length, 1);
  await memory.observe({ scope: ADA, turns: someTurns(40) });
  assert.is(encoder.calls.length, 1);
  await memory.observe({ scope: ADA, turns: someTurns(42) });
  assert.is(present(encoder.calls[1]).length, 2);
});

test("onInvalid 'report' stores nine of ten and says why the seventh was refused; a retry changes nothing", async () => {
  await using memory = await openTiny();
  const turns = someTurns(10).map((turn, n) => (n === 6 ? { ...turn, at: '31 of June' } : turn));
  const first = await memory.observe({ scope: ADA, turns, onInvalid: 'report' });
  assert.is(first.stored, 9);
  assert.equal(
    first.turns.map(({ status }) => status),
    [...Array(6).fill('stored'), 'rejected', ...Array(3).fill('stored')],
  );
  const refused = present(first.turns[6]);
  assert.is(refused.id, 't6');
  assert.is(refused.status === 'rejected' && refused.code, 'DATE_INVALID');
  assert.match(refused.status === 'rejected' ? refused.message : '', /turns\[6\]\.at.*31 of June/);

  const retry = await memory.observe({ scope: ADA, turns, onInvalid: 'report' });
  assert.is(retry.stored, 0);
  assert.equal(
    retry.turns.map(({ status }) => status),
    [...Array(6).fill('unchanged'), 'rejected', ...Array(3).fill('unchanged')],
  );
  assert.is((await idsOf(memory, ADA)).length, 9);
  const cured = await memory.observe({ scope: ADA, turns: someTurns(10) });
  assert.is(cured.stored, 1);
  assert.is((await idsOf(memory, ADA)).length, 10);
});

test('by default one invalid turn of ten is an error and nothing is written', async () => {
  const encoder = new TinyEncoder();
  await using memory = await openTiny({ encoder });
  encoder.calls.length = 0;
  const turns = someTurns(10).map((turn, n) => (n === 6 ? { ...turn, speaker: '' } : turn));
  const error = await failure('INVALID_ARGUMENT', () => memory.observe({ scope: ADA, turns }));
  assert.match(error.input, /^turns\[6\]\.speaker$/);
  assert.equal(await idsOf(memory, ADA), []);
  assert.is((await memory.stats()).scopes, 0);
  assert.is(encoder.calls.length, 0, 'nothing was encoded either');
});

const megabytes = (count: number) => 'lorem ipsum dolor sit amet '.repeat((count * 1024 * 1024) / 27);
const circular: Record<string, unknown> = {};
circular.self = circular;
const REFUSED: ReadonlyArray<[string, ErrorCode, unknown]> = [
  ['text of 10 MB', 'TEXT_TOO_LONG', { speaker: 'a', text: megabytes(10) }],
  ['a caption of 1 MB', 'TEXT_TOO_LONG', { speaker: 'a', text: 'b', caption: megabytes(1) }],
  ['a lone high surrogate', 'TEXT_INVALID', { speaker: 'a', text: 'broken \ud83d emoji' }],
  ['a lone low surrogate', 'TEXT_INVALID', { speaker: 'a', text: '\udc00' }],
  ['a lone surrogate in the speaker', 'INVALID_ARGUMENT', { speaker: 'a\ud800', text: 'b' }],
  ['a speaker of 300 bytes', 'INVALID_ARGUMENT', { speaker: 'ä'.repeat(150), text: 'b' }],
  ['an empty id', 'INVALID_ARGUMENT', { id: '', speaker: 'a', text: 'b' }],
  ['a date in words', 'DATE_INVALID', { speaker: 'a', text: 'b', at: 'next Tuesday' }],
  ['30 February', 'DATE_INVALID', { speaker: 'a', text: 'b', at: '2024-02-30' }],
  ['an invalid Date', 'DATE_INVALID', { speaker: 'a', text: 'b', at: new Date('x') }],
  ['a date beyond the calendar', 'DATE_INVALID', { speaker: 'a', text: 'b', at: 9e15 }],
  ['metadata of 1 MB', 'TEXT_TOO_LONG', { speaker: 'a', text: 'b', meta: { blob: megabytes(1) } }],
  ['circular metadata', 'INVALID_ARGUMENT', { speaker: 'a', text: 'b', meta: circular }],
  ['a bigint in the metadata', 'INVALID_ARGUMENT', { speaker: 'a', text: 'b', meta: { n: 1n } }],
  [
    'metadata that is no JSON object',
    'INVALID_ARGUMENT',
    { speaker: 'a', text: 'b', meta: { toJSON: () => 1 } },
  ],
  ['metadata that vanishes as JSON', 'INVALID_ARGUMENT', { speaker: 'a', text: 'b', meta: { toJSON() {} } }],
  ['no text', 'INVALID_ARGUMENT', { speaker: 'a' }],
  ['a field that does not exist', 'INVALID_ARGUMENT', { speaker: 'a', text: 'b', role: 'user' }],
  ['null', 'INVALID_ARGUMENT', null],
];
for (const [name, code, turn] of REFUSED) {
  test(`refuses ${name} with ${code} and writes nothing`, async () => {
    await using memory = await openTiny();
    const turns = [{ id: 'good', speaker: 'Ada', text: 'fine' }, turn] as TurnInput[];
    const error = await failure(code, () => memory.observe({ scope: ADA, turns }));
    assert.match(error.input, /^turns\[1\]/);
    assert.ok(error.message.length < 500, 'the message does not repeat the input');
    assert.is((await memory.stats()).turns, 0);
    const { turns: receipts } = await memory.observe({ scope: ADA, turns, onInvalid: 'report' });
    assert.equal(
      receipts.map(({ status }) => status),
      ['stored', 'rejected'],
    );
    assert.equal(await idsOf(memory, ADA), ['good']);
  });
}

test('refuses a missing, empty or malformed scope on every verb and writes nothing', async () => {
  await using memory = await openTiny();
  const scopes: unknown[] = [
    undefined,
    null,
    {},
    { tenant: 'a' },
    { tenant: '', user: 'b' },
    'a/b',
    ['a', 'b'],
  ];
  for (const scope of scopes) {
    const request = { scope } as { scope: typeof ADA };
    await failure('SCOPE_INVALID', () => memory.observe({ ...request, turns: someTurns(1) }));
    await failure('SCOPE_INVALID', () => memory.recall({ ...request, query: 'tea' }));
    await failure('SCOPE_INVALID', () => memory.recallMany([{ ...request, query: 'tea' }]));
    await failure('SCOPE_INVALID', () => all(memory.turns(request)));
    await failure('SCOPE_INVALID', () => memory.forget({ ...request, everything: true }));
    await failure('SCOPE_INVALID', () => memory.amend({ ...request, turn: 't', meta: {} }));
    await failure('SCOPE_INVALID', () => all(memory.export(request)));
  }
  assert.is((await memory.stats()).scopes, 0);
});

test('an id that is stored with other words is a conflict that names both', async () => {
  await using memory = await openTiny();
  await memory.observe({ scope: ADA, turns: [{ id: 'x', speaker: 'Ada', text: 'I like green tea' }] });
  const turns = [
    { id: 'y', speaker: 'Ada', text: 'new' },
    { id: 'x', speaker: 'Ada', text: 'I like black tea' },
  ];
  const error = await failure('TURN_CONFLICT', () => memory.observe({ scope: ADA, turns }));
  assert.match(error.message, /green tea/);
  assert.match(error.message, /black tea/);
  assert.equal(
    (await turnsOf(memory, ADA)).map(({ text }) => text),
    ['I like green tea'],
  );
  await memory.observe({ scope: BO, turns });
  assert.equal((await idsOf(memory, BO)).sort(), ['x', 'y'], 'ids belong to their scope');
});

test('an id given twice in one call: the same words once, other words are a conflict', async () => {
  await using memory = await openTiny();
  const twin = { id: 'x', speaker: 'Ada', text: 'once' };
  const both = await memory.observe({ scope: ADA, turns: [twin, { ...twin }] });
  assert.equal(
    both.turns.map(({ status }) => status),
    ['stored', 'unchanged'],
  );
  const turns = [
    { id: 'z', speaker: 'Ada', text: 'one' },
    { id: 'z', speaker: 'Ada', text: 'two' },
  ];
  await failure('TURN_CONFLICT', () => memory.observe({ scope: ADA, turns }));
  assert.equal(await idsOf(memory, ADA), ['x']);
  const reported = await memory.observe({ scope: ADA, turns, onInvalid: 'report' });
  assert.equal(
    reported.turns.map(({ status }) => status),
    ['stored', 'rejected'],
  );
});

test('turns without an id get one that orders by arrival', async () => {
  await using memory = await openTiny();
  const turns = Array.from({ length: 20 }, (_, n) => ({ speaker: 'Ada', text: `line ${n}`, at: 0 }));
  const { turns: receipts } = await memory.observe({ scope: ADA, turns });
  const ids = receipts.map(({ id }) => present(id));
  assert.is(new Set(ids).size, 20);
  assert.equal([...ids].sort(), ids);
  assert.equal(await idsOf(memory, ADA), ids);
});

test('no turns is no error and makes no scope', async () => {
  await using memory = await openTiny();
  assert.equal(await memory.observe({ scope: ADA, turns: [] }), { turns: [], stored: 0 });
  assert.is((await memory.stats()).scopes, 0);
  const answer = await memory.recall({ scope: ADA, query: 'tea' });
  assert.equal([answer.evidence, answer.abstained], [[], true]);
});

test('turns are listed by event time whatever order they came in, and undated ones are marked', async () => {
  await using memory = await openTiny();
  const before = Date.now();
  const at = ['2024-05-02', '1969-07-20T20:17Z', '2031-01-01', '2024-05-01T23:59:59.999Z', '-000044-03-15'];
  await memory.observe({
    scope: ADA,
    turns: at.map((date) => ({ id: date, speaker: 'Ada', text: `said on ${date}`, at: date })),
  });
  await memory.observe({ scope: ADA, turns: [{ id: 'now', speaker: 'Ada', text: 'undated' }] });
  const turns = await turnsOf(memory, ADA);
  assert.equal(
    turns.map(({ id }) => id),
    ['-000044-03-15', '1969-07-20T20:17Z', '2024-05-01T23:59:59.999Z', '2024-05-02', 'now', '2031-01-01'],
  );
  assert.equal(
    turns.map(({ dateSource }) => dateSource),
    ['given', 'given', 'given', 'given', 'ingest', 'given'],
  );
  assert.ok(present(turns[4]).at >= before);
  const between = await all(memory.turns({ scope: ADA, from: '1969-07-20T20:17Z', to: '2024-05-02' }));
  assert.equal(
    between.map(({ id }) => id),
    ['1969-07-20T20:17Z', '2024-05-01T23:59:59.999Z'],
    'half-open: from <= at < to',
  );
  assert.equal(await all(memory.turns({ scope: ADA, from: '2025-01-01', to: '2024-01-01' })), []);
});

test('clocks that run backwards change the listing, not the order of the conversation', async () => {
  await using memory = await openTiny();
  const turns = [30, 20, 10].map((minute) => ({
    id: `m${minute}`,
    speaker: 'Ada',
    text: `minute ${minute}`,
    at: minute * 60_000,
  }));
  for (const turn of turns) await memory.observe({ scope: ADA, session: 's', turns: [turn] });
  assert.equal(await idsOf(memory, ADA), ['m10', 'm20', 'm30']);
  const { evidence } = await memory.recall({ scope: ADA, query: 'minute 20' });
  assert.is(present(evidence[0]).turnId, 'm20');
  const records = await all(memory.export({ scope: ADA }));
  assert.equal(
    records.flatMap((record) => (record.kind === 'turn' ? [record.id] : [])),
    ['m30', 'm20', 'm10'],
    'arrival',
  );
});

/** Well-formed text of any script, with control characters, joiners and right-to-left marks. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme-composite', maxLength: 20 }),
  fc.constantFrom(
    '',
    ' ',
    '\0',
    '\r\n',
    '\u202eevil\u202c',
    'שלום\u200f עולם',
    'a\u0000b',
    '\ufeff',
    '🧑‍🧑‍🧒',
    '\u001b[31mred',
  ),
);
const label = anyText.filter((text) => text !== '' && Buffer.byteLength(text) <= 256);

test('metadata with a symbol for a key is refused: JSON would lose it', async () => {
  await using memory = await openTiny();
  for (const meta of [{ [Symbol('s')]: 1 }, { inner: [{ [Symbol.iterator]: 1 }] }]) {
    const turns = [{ id: 'x', speaker: 'Ada', text: 'a kite', meta: meta as Record<string, unknown> }];
    const error = await failure('INVALID_ARGUMENT', () => memory.observe({ scope: ADA, turns }));
    assert.match(error.message, /symbol/);
  }
});

test('whatever observe accepts, turns() returns, field by field', async () => {
  await using memory = await openTiny();
  const turn = fc.record(
    {
      speaker: label,
      text: anyText,
      at: fc.integer({ min: -8_640_000_000_000_000, max: 8_640_000_000_000_000 }),
      caption: anyText.filter((text) => text !== ''),
      meta: fc.dictionary(
        fc.string({ maxLength: 8 }).filter((key) => key !== '__proto__'),
        fc.jsonValue(),
        {
          maxKeys: 4,
        },
      ),
    },
    { requiredKeys: ['speaker', 'text', 'at'] },
  );
  let user = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { maxLength: 6 }), label, async (turns, session) => {
      const scope = { tenant: 'any', user: `u${user++}` };
      const given = turns.map((value, n) => ({ id: `i${n}`, ...value })) as TurnInput[];
      await memory.observe({ scope, session, turns: given });
      const found = await turnsOf(memory, scope);
      const byId = new Map(found.map((value) => [value.id, value]));
      assert.is(found.length, given.length);
      for (const [n, value] of given.entries()) {
        const { meta, ...rest } = present(byId.get(`i${n}`));
        assert.equal(rest, { ...withoutMeta(value), session, dateSource: 'given' });
        assert.is(JSON.stringify(meta), value.meta === undefined ? undefined : JSON.stringify(value.meta));
      }
      // Everything that came in is also found: a recall with room for all returns all of it or abstains.
      const { evidence } = await memory.recall({ scope, query: given[0]?.text || 'x', limit: 1000 });
      for (const { turnId, text } of evidence) assert.is(text, byId.get(turnId)?.text);
    }),
    { numRuns: 60 },
  );
});

function withoutMeta({ meta: _meta, ...rest }: TurnInput): Omit<TurnInput, 'meta'> {
  return rest;
}

test('an aborted signal stops an observe, before it begins and while it encodes; nothing is written', async () => {
  const controller = new AbortController();
  await using memory = await openTiny({
    // An encoder that does not look at the signal: observe does.
    encoder: new TinyEncoder({ before: () => controller.abort() }),
  });
  const gone = AbortSignal.abort();
  await failure('ABORTED', () => memory.observe({ scope: ADA, turns: someTurns(3), signal: gone }));
  await failure('ABORTED', () =>
    memory.observe({ scope: ADA, turns: someTurns(3), signal: controller.signal }),
  );
  assert.is((await memory.stats()).turns, 0);
});

test('an encoder that fails leaves nothing behind, and the same turns can be observed afterwards', async () => {
  let broken = false;
  await using memory = await openTiny({
    encoder: new TinyEncoder({
      before: () => {
        if (broken) throw new Error('the model file went away');
      },
    }),
  });
  broken = true;
  let message = '';
  await memory.observe({ scope: ADA, turns: someTurns(3) }).catch((error: Error) => {
    message = error.message;
  });
  assert.match(message, /model file/);
  assert.is((await memory.stats()).turns, 0);
  broken = false;
  assert.is((await memory.observe({ scope: ADA, turns: someTurns(3) })).stored, 3);
});

test('two observes of one new id with different text at once: one wins, the other gets TURN_CONFLICT', async () => {
  await using memory = await openTiny();
  for (let round = 0; round < 20; round++) {
    const attempts = ['left', 'right', 'middle'].map((text) =>
      memory.observe({ scope: ADA, turns: [{ id: `r${round}`, speaker: 'Ada', text }] }).then(
        () => text,
        (error: { code: string }) => error.code,
      ),
    );
    const results = await Promise.all(attempts);
    const winners = results.filter((result) => result !== 'TURN_CONFLICT');
    assert.is(winners.length, 1, results.join());
    const stored = (await turnsOf(memory, ADA)).find(({ id }) => id === `r${round}`);
    assert.is(stored?.text, winners[0]);
  }
});

test.run();
