// What a caller hands over is read while the call is made, and what it does not mean is refused.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ForgetRequest } from '../../src/contract/ingest.js';
import { openMemory } from '../../src/memory/memory.js';
import { all, failure, present } from '../support/expecting.js';
import { ADA, BO, idsOf, newStorePath, openTiny, someTurns, turnsOf } from '../support/memories.js';
import { TinyEncoder } from '../support/tiny-encoder.js';

const test = suite('arguments');

/** Changes everything a request holds, in place. */
function spoil(value: unknown): void {
  if (value instanceof Date) value.setTime(0);
  else if (Array.isArray(value)) {
    for (const item of value) spoil(item);
    value.length = 0;
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) {
      spoil(inner);
      Object.assign(value, { [key]: key === 'user' ? 'bo' : typeof inner === 'string' ? 'changed' : inner });
    }
  }
}

/** Makes a call, spoils its request before anything is awaited, and waits for the call. */
async function spoiled<R, T>(request: R, call: (request: R) => Promise<T>): Promise<T> {
  const running = call(request);
  spoil(request);
  return running;
}

test('a request changed after the call changes nothing: observe, amend, recall, turns, export, import, forget', async () => {
  await using memory = await openTiny();
  await memory.observe({ scope: BO, turns: someTurns(1) });
  const at = new Date(Date.UTC(2024, 0, 1));
  const meta = { tags: ['a'], deep: { x: 1 } };
  const turns = [...someTurns(3), { id: 'dated', speaker: 'Ada', text: 'bread with rye', at, meta }];
  await spoiled({ scope: { ...ADA }, session: 's', turns }, (request) => memory.observe(request));
  const dated = present((await turnsOf(memory, ADA)).find(({ id }) => id === 'dated'));
  assert.equal(
    [dated.at, dated.meta, dated.session, dated.text],
    [Date.UTC(2024, 0, 1), { tags: ['a'], deep: { x: 1 } }, 's', 'bread with rye'],
  );
  assert.equal(await idsOf(memory, BO), ['t0']);

  await spoiled({ scope: { ...ADA }, turn: 'dated', meta: { tags: ['b'] } }, (request) =>
    memory.amend(request),
  );
  assert.equal((await turnsOf(memory, ADA)).find(({ id }) => id === 'dated')?.meta, {
    tags: ['b'],
    deep: { x: 1 },
  });

  const filter = { from: new Date(Date.UTC(2023, 0, 1)), session: 's' };
  const query = { scope: { ...ADA }, query: 'bread with rye', context: ['what did we bake?'], filter };
  const first = await spoiled(structuredClone(query), (request) => memory.recall(request));
  assert.is(present(first.evidence[0]).turnId, 'dated');
  const [many] = await spoiled([structuredClone(query)], (requests) => memory.recallMany(requests));
  assert.is(present(present(many).evidence[0]).turnId, 'dated');

  const listed = await spoiled({ scope: { ...ADA }, from: new Date(0) }, (request) => {
    const listing = memory.turns(request);
    spoil(request);
    return all(listing);
  });
  assert.is(listed.length, 4);
  const records = await spoiled({ scope: { ...ADA } }, (request) => {
    const exported = memory.export(request);
    spoil(request);
    return all(exported);
  });
  assert.is(records.length, 6);
  const target = { tenant: 'acme', user: 'copy' };
  const importing = { records, scope: { ...target } };
  const pending = memory.import(importing);
  importing.scope.user = 'bo';
  await pending;
  assert.is((await idsOf(memory, target)).length, 4);
  const stats = await spoiled({ scope: { ...ADA } }, (request) => memory.stats(request));
  assert.is(stats.turns, 4);

  const forgetting: ForgetRequest = { scope: { ...ADA }, everything: true };
  await spoiled(forgetting, (request) => memory.forget(request));
  assert.equal(await idsOf(memory, ADA), []);
  assert.equal(await idsOf(memory, BO), ['t0']);
});

test('options changed after openMemory returned change nothing', async () => {
  const options = { path: newStorePath(), encoder: new TinyEncoder(), limits: { textBytes: 20 } };
  const opening = openMemory(options);
  options.limits.textBytes = 1e6;
  options.path = '/nowhere/at/all';
  await using memory = await opening;
  await failure('TEXT_TOO_LONG', () =>
    memory.observe({ scope: ADA, turns: [{ speaker: 'a', text: 'more than twenty bytes' }] }),
  );
});

test('forget takes exactly one of turn, session and everything; a name that got lost forgets nobody', async () => {
  await using memory = await openTiny();
  await memory.observe({ scope: ADA, turns: someTurns(3) });
  const bad: unknown[] = [
    { scope: ADA },
    { scope: ADA, turn: undefined },
    { scope: ADA, session: undefined },
    { scope: ADA, turn: undefined, session: undefined },
    { scope: ADA, everything: false },
    { scope: ADA, everything: undefined },
    { scope: ADA, everything: 1 },
    { scope: ADA, everything: true, turn: undefined },
    { scope: ADA, everything: true, turn: 't1' },
    { scope: ADA, turn: 't1', session: 'default' },
    { scope: ADA, turn: null },
    { scope: ADA, turn: '' },
    null,
    undefined,
  ];
  for (const request of bad) {
    const error = await failure('INVALID_ARGUMENT', () => memory.forget(request as never));
    assert.match(error.input, /^forget/);
  }
  assert.is((await idsOf(memory, ADA)).length, 3);
  assert.equal(await memory.forget({ scope: ADA, everything: true }), { forgotten: 3 });
});

test('a key that is present and undefined is refused by every verb, and the error names it', async () => {
  await using memory = await openTiny();
  await memory.observe({ scope: ADA, turns: someTurns(2) });
  const turn = { speaker: 'a', text: 'b' };
  const calls: Array<[string, () => unknown]> = [
    ...['session', 'onInvalid', 'signal'].map((key): [string, () => unknown] => [
      `observe.${key}`,
      () => memory.observe({ scope: ADA, turns: [turn], [key]: undefined }),
    ]),
    ...['id', 'at', 'caption', 'meta'].map((key): [string, () => unknown] => [
      `turns[0].${key}`,
      () => memory.observe({ scope: ADA, turns: [{ ...turn, [key]: undefined }] }),
    ]),
    ...['context', 'limit', 'asOf', 'filter', 'deadlineMs', 'explain', 'signal'].map(
      (key): [string, () => unknown] => [
        `recall.${key}`,
        () => memory.recall({ scope: ADA, query: 'tea', [key]: undefined }),
      ],
    ),
    ...['session', 'speaker', 'from', 'to'].map((key): [string, () => unknown] => [
      `recall.filter.${key}`,
      () => memory.recall({ scope: ADA, query: 'tea', filter: { [key]: undefined } }),
    ]),
    ...['session', 'from', 'to'].map((key): [string, () => unknown] => [
      `turns.${key}`,
      () => all(memory.turns({ scope: ADA, [key]: undefined })),
    ]),
    ['amend.meta', () => memory.amend({ scope: ADA, turn: 't0', meta: undefined as never })],
    ...['encoder', 'readOnly', 'reencode'].map((key): [string, () => unknown] => [
      `openMemory.${key}`,
      () => openMemory({ path: newStorePath(), [key]: undefined }),
    ]),
  ];
  for (const [input, call] of calls) {
    const error = await failure('INVALID_ARGUMENT', call);
    assert.is(error.input, input);
    assert.is(error.problem, 'is undefined');
  }
  await failure('SCOPE_INVALID', () => memory.import({ records: [], scope: undefined as never }));
  await failure('SCOPE_INVALID', () => memory.stats({ scope: undefined as never }));
  assert.is((await memory.stats()).turns, 2);
});

test('metadata that JSON would change is refused, and the error names the key', async () => {
  await using memory = await openTiny();
  class Point {
    x = 1;
  }
  const observe = (meta: Record<string, unknown>) =>
    memory.observe({ scope: ADA, turns: [{ id: 'm', speaker: 'a', text: 'b', meta }] });
  const odd = [new Map(), new Set(), new Point(), NaN, -Infinity, undefined, 1n, () => 1, Symbol('s'), /x/];
  for (const value of [...odd, new Date(0), Object.create({ a: 1 }), new Array(2)]) {
    const { input } = await failure('INVALID_ARGUMENT', () => observe({ deep: [{ odd: value }] }));
    assert.match(input, /^turns\[0\]\.meta\.deep\[0\]\.odd/);
  }
  assert.match((await failure('INVALID_ARGUMENT', () => observe({ at: new Date(0) }))).cure, /text/);
  await failure('INVALID_ARGUMENT', () => observe({ toJSON: () => ({ a: 1 }) }));
  await failure('INVALID_ARGUMENT', () => observe(new Map([['a', 1]]) as never));
  let wide: unknown = 1;
  for (let n = 0; n < 60; n++) wide = [wide, wide];
  await failure('TEXT_TOO_LONG', () => observe({ wide }));
  const kept = { a: [1, 'x', null, true, { b: -2.5 }], constructor: { name: 'n' } };
  await observe(Object.assign(Object.create(null), kept));
  assert.is(JSON.stringify(present((await turnsOf(memory, ADA))[0]).meta), JSON.stringify(kept));
});

test('undefined limits mean the defaults', async () => {
  await using memory = await openTiny({ limits: { textBytes: undefined, metaBytes: undefined } });
  await using other = await openTiny({ limits: undefined });
  for (const each of [memory, other]) {
    const text = 'x'.repeat(64 * 1024);
    await each.observe({ scope: ADA, turns: [{ speaker: 'a', text }] });
    await failure('TEXT_TOO_LONG', () =>
      each.observe({ scope: ADA, turns: [{ speaker: 'a', text: `${text}y` }] }),
    );
    await failure('TEXT_TOO_LONG', () =>
      each.observe({ scope: ADA, turns: [{ speaker: 'a', text: 'b', meta: { text } }] }),
    );
  }
});

test('metadata that cannot be kept whole is refused: __proto__ and endless nesting', async () => {
  await using memory = await openTiny();
  const nested = (depth: number): Record<string, unknown> => {
    let value: Record<string, unknown> = { end: 1 };
    for (let i = 1; i < depth; i++) value = { in: value };
    return value;
  };
  const observe = (meta: Record<string, unknown>) =>
    memory.observe({ scope: ADA, turns: [{ speaker: 'a', text: 'b', meta }] });
  for (const meta of [
    JSON.parse('{"__proto__":{"x":1}}') as Record<string, unknown>,
    { list: [JSON.parse('{"__proto__":1}')] },
    nested(101),
    nested(3000),
    nested(100_000),
  ]) {
    assert.is((await failure('INVALID_ARGUMENT', () => observe(meta))).input, 'turns[0].meta');
  }
  await observe(nested(100));
  const [turn] = await turnsOf(memory, ADA);
  const amend = (meta: Record<string, unknown>) => memory.amend({ scope: ADA, turn: present(turn).id, meta });
  await failure('INVALID_ARGUMENT', () => amend(JSON.parse('{"__proto__":{"x":1}}')));
  await failure('INVALID_ARGUMENT', () => amend(nested(3000)));
  const records = await all(memory.export({ scope: ADA }));
  assert.is((await memory.import({ records, scope: BO })).stored, 1);
  for (const meta of [JSON.parse('{"__proto__":1}'), nested(101)]) {
    const damaged = records.map((record) => (record.kind === 'turn' ? { ...record, meta } : record));
    const error = await failure('INVALID_ARGUMENT', () => memory.import({ records: damaged, scope: BO }));
    assert.is(error.input, 'record 2.meta');
  }
});

test('stats, export and turns of anything that is no request are typed errors', async () => {
  await using memory = await openTiny();
  for (const value of [null, 'scope', 7, [], () => 1]) {
    await failure('INVALID_ARGUMENT', () => memory.stats(value as never));
    await failure('INVALID_ARGUMENT', () => all(memory.export(value as never)));
    await failure('INVALID_ARGUMENT', () => all(memory.turns(value as never)));
    await failure('INVALID_ARGUMENT', () => memory.recallMany(value as never)).catch((error) => {
      if (!Array.isArray(value)) throw error;
    });
  }
});

test.run();
