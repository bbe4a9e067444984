// Export and import: the same answers in another store, or an error and nothing written.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ArchiveRecord } from '../../src/contract/archive.js';
import type { ErrorCode } from '../../src/errors.js';
import type { Memory } from '../../src/memory/memory.js';
import { all, failure, present } from '../support/expecting.js';
import { ADA, BO, idsOf, openTiny, ranking, someTurns, turnsOf } from '../support/memories.js';
import { TinyEncoder } from '../support/tiny-encoder.js';

const test = suite('archive');
const QUERIES = ['tea in the garden', 'word17', 'violin lesson trio4', 'rye bread', 'nothing of the kind'];

/** A scope with everything a turn can have, and gaps where turns were forgotten. */
async function filled(): Promise<Memory> {
  const memory = await openTiny();
  await memory.observe({ scope: ADA, session: 'one', turns: someTurns(300) });
  await memory.observe({
    scope: ADA,
    session: 'deux \u202e\0',
    turns: [
      {
        id: 'undated',
        speaker: 'Ада',
        text: 'чай\r\nв саду',
        caption: 'a picture',
        meta: { a: { b: [1, null] } },
      },
      { speaker: 'Bo', text: '', at: -1 },
    ],
  });
  for (const id of ['t0', 't50', 't299']) await memory.forget({ scope: ADA, turn: id });
  await memory.amend({ scope: ADA, turn: 't7', meta: { later: 'added' } });
  return memory;
}

/** As a file would carry it: through JSON. */
const throughJson = (records: readonly ArchiveRecord[]): ArchiveRecord[] =>
  records.map((record) => JSON.parse(JSON.stringify(record)) as ArchiveRecord);

test('an import into a new store gives the same turns and the same answers, without encoding again', async () => {
  await using source = await filled();
  const encoder = new TinyEncoder();
  await using target = await openTiny({ encoder });
  encoder.calls.length = 0;
  const records = throughJson(await all(source.export({ scope: ADA })));
  assert.equal(await target.import({ records }), { scope: ADA, stored: 299, unchanged: 0 });
  assert.is(encoder.calls.length, 0);
  assert.equal(await turnsOf(target, ADA), await turnsOf(source, ADA));
  for (const query of QUERIES) {
    assert.equal(await ranking(target, ADA, query), await ranking(source, ADA, query), query);
  }
  assert.equal(
    throughJson(await all(target.export({ scope: ADA }))),
    records,
    'exported again, it is the same',
  );
});

test('an import again changes nothing, and one under another scope leaves the first alone', async () => {
  await using source = await filled();
  const records = await all(source.export({ scope: ADA }));
  assert.equal(await source.import({ records }), { scope: ADA, stored: 0, unchanged: 299 });
  assert.equal(await source.import({ records, scope: BO }), { scope: BO, stored: 299, unchanged: 0 });
  assert.equal(await turnsOf(source, BO), await turnsOf(source, ADA));
  await source.forget({ scope: BO, everything: true });
  assert.is((await turnsOf(source, ADA)).length, 299);
});

test('an archive may come straight out of the export that is still running', async () => {
  await using source = await filled();
  const result = await source.import({ records: source.export({ scope: ADA }), scope: BO });
  assert.is(result.stored, 299);
});

type Damage = (records: ArchiveRecord[]) => unknown[];
const turnAt = (records: ArchiveRecord[], place: number) =>
  present(records[place]) as ArchiveRecord & { kind: 'turn' };
const DAMAGES: ReadonlyArray<[string, ErrorCode, Damage]> = [
  ['nothing at all', 'SOURCE_TRUNCATED', () => []],
  ['cut in half', 'SOURCE_TRUNCATED', (records) => records.slice(0, records.length / 2)],
  ['without its last turn', 'SOURCE_TRUNCATED', (records) => records.toSpliced(-2, 1)],
  ['without its footer', 'SOURCE_TRUNCATED', (records) => records.slice(0, -1)],
  ['without its header', 'SOURCE_INVALID', (records) => records.slice(1)],
  [
    'with two turns swapped',
    'SOURCE_TRUNCATED',
    (records) => [records[0], records[2], records[1], ...records.slice(3)],
  ],
  ['in reverse', 'SOURCE_INVALID', (records) => records.toReversed()],
  ['with a turn twice', 'SOURCE_TRUNCATED', (records) => [...records.slice(0, 2), ...records.slice(1)]],
  ['doubled', 'SOURCE_INVALID', (records) => [...records, ...records]],
  [
    'with an edited word',
    'SOURCE_TRUNCATED',
    (records) => records.with(5, { ...turnAt(records, 5), text: 'I owe you 100' }),
  ],
  [
    'with an edited speaker',
    'SOURCE_TRUNCATED',
    (records) => records.with(5, { ...turnAt(records, 5), speaker: 'Eve' }),
  ],
  [
    'with an edited date',
    'SOURCE_TRUNCATED',
    (records) => records.with(5, { ...turnAt(records, 5), at: 12 }),
  ],
  [
    'with a fraction for a date',
    'SOURCE_INVALID',
    (records) => records.with(5, { ...turnAt(records, 5), at: 1.5 }),
  ],
  [
    'with a date beyond the calendar',
    'DATE_INVALID',
    (records) => records.with(5, { ...turnAt(records, 5), at: 9e15 }),
  ],
  [
    'with an edited vector',
    'SOURCE_TRUNCATED',
    (records) => records.with(5, { ...turnAt(records, 5), vector: turnAt(records, 6).vector }),
  ],
  [
    'with a vector too short',
    'SOURCE_INVALID',
    (records) => records.with(5, { ...turnAt(records, 5), vector: 'AAAA' }),
  ],
  [
    'with NaN in a vector',
    'SOURCE_INVALID',
    (records) =>
      records.with(5, { ...turnAt(records, 5), vector: Buffer.alloc(128, 0xff).toString('base64') }),
  ],
  [
    'with a vector that is no base64',
    'SOURCE_INVALID',
    (records) => records.with(5, { ...turnAt(records, 5), vector: '!' }),
  ],
  [
    'with a text of 10 MB',
    'TEXT_TOO_LONG',
    (records) => records.with(5, { ...turnAt(records, 5), text: 'long '.repeat(2e6) }),
  ],
  [
    'with a lone surrogate',
    'TEXT_INVALID',
    (records) => records.with(5, { ...turnAt(records, 5), text: '\ud83d' }),
  ],
  [
    'with a foreign record',
    'SOURCE_INVALID',
    (records) => records.toSpliced(5, 0, { kind: 'fact' } as never),
  ],
  ['with null in it', 'SOURCE_INVALID', (records) => records.toSpliced(5, 0, null as never)],
  [
    'for another user by an edited header',
    'SOURCE_TRUNCATED',
    (records) => records.with(0, { ...records[0], scope: BO } as ArchiveRecord),
  ],
  [
    'of a later version',
    'SOURCE_INVALID',
    (records) => records.with(0, { ...records[0], version: 2 } as never),
  ],
  ['that is no archive', 'SOURCE_INVALID', () => [{ speaker: 'Ada', text: 'hi' }]],
];

test('every kind of damage is a typed error that names the place, and nothing is written', async () => {
  await using source = await filled();
  await using target = await openTiny();
  const records = await all(source.export({ scope: ADA }));
  for (const [name, code, damage] of DAMAGES) {
    const error = await failure(code, () => target.import({ records: damage([...records]) })).catch(
      (reason) => {
        throw new Error(`${name}: ${reason}`);
      },
    );
    assert.match(error.input, /record \d+|archive/, name);
    assert.is((await target.stats()).turns, 0, name);
  }
  assert.is((await target.import({ records })).stored, 299);
});

test('an archive that contradicts what is stored is TURN_CONFLICT and adds none of its turns', async () => {
  await using source = await filled();
  await using target = await openTiny();
  const records = await all(source.export({ scope: ADA }));
  const stored = { id: 't290', speaker: 'Ada', text: 'something else' };
  await target.observe({ scope: ADA, session: 'one', turns: [stored] });
  const error = await failure('TURN_CONFLICT', () => target.import({ records }));
  assert.match(error.message, /t290/);
  assert.equal(await idsOf(target, ADA), ['t290']);
  // Also when the other turn comes while the archive is read.
  const slowly = async function* () {
    for (const record of records) {
      if (record.kind === 'footer') {
        await target.observe({ scope: BO, session: 'one', turns: [stored] });
      }
      yield record;
    }
  };
  await failure('TURN_CONFLICT', () => target.import({ records: slowly(), scope: BO }));
  assert.equal(await idsOf(target, BO), ['t290']);
});

test('an observe of the same ids beside an import is either before or after it, never between', async () => {
  await using source = await filled();
  const records = await all(source.export({ scope: ADA }));
  for (let round = 0; round < 5; round++) {
    await using target = await openTiny();
    const clash = { id: 't280', speaker: 'Ada', text: `round ${round}` };
    const results = await Promise.allSettled([
      target.import({ records }),
      new Promise((done) => setTimeout(done, round * 3)).then(() =>
        target.observe({ scope: ADA, session: 'one', turns: [clash] }),
      ),
    ]);
    assert.equal(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    const count = (await idsOf(target, ADA)).length;
    assert.ok(count === 1 || count === 299, `${count} turns`);
  }
});

test('a source that fails midway, and arguments that are none, write nothing', async () => {
  await using source = await filled();
  await using target = await openTiny();
  const records = await all(source.export({ scope: ADA }));
  const failing = async function* () {
    yield* records.slice(0, 200);
    throw new Error('the disk was pulled out');
  };
  const broken = await failure('SOURCE_INVALID', () => target.import({ records: failing() }));
  assert.match(broken.problem, /the disk was pulled out/);
  assert.is((broken.cause as Error).message, 'the disk was pulled out');
  for (const request of [undefined, null, {}, { records: 7 }, { records: 'text' }, { records, limit: 1 }]) {
    await failure('INVALID_ARGUMENT', () => target.import(request as never));
  }
  await failure('SCOPE_INVALID', () => target.import({ records, scope: { tenant: '', user: 'x' } }));
  assert.is((await target.stats()).scopes, 0);
});

test.run();
