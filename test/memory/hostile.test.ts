// Every public method with objects that lie, throw, change and make no sense: an OntomemError, or a right answer.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openEncoder } from '../../src/encode/open-encoder.js';
import { ERROR_TABLE, OntomemError } from '../../src/errors.js';
import { type Memory, openMemory } from '../../src/memory/memory.js';
import { all } from '../support/expecting.js';
import { ADA, newStorePath, openTiny, someTurns, turnsOf } from '../support/memories.js';
import { TinyEncoder } from '../support/tiny-encoder.js';

const test = suite('hostile objects');

/** Waits for a call; whatever is not an OntomemError of the table fails the test. */
async function settles(name: string, call: () => unknown): Promise<void> {
  try {
    await call();
  } catch (error) {
    if (error instanceof OntomemError) {
      assert.ok(error.code in ERROR_TABLE);
      assert.ok(error.message.length < 5000, `${name}: a message of ${error.message.length} characters`);
      return;
    }
    const said = error instanceof Error ? error.stack : typeof error;
    throw new Error(`${name} threw no OntomemError: ${said}`);
  }
}

const thrower = () => {
  throw Object.create(null);
};
/** A proxy whose every trap throws, over an object or an array. */
const trapped = (target: object) =>
  new Proxy(target, {
    get: thrower,
    has: thrower,
    ownKeys: thrower,
    getPrototypeOf: thrower,
    getOwnPropertyDescriptor: thrower,
  });
const revoked = () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};
const deep = (() => {
  let value: unknown = 1;
  for (let i = 0; i < 10_000; i++) value = [value];
  return value;
})();
const circular: Record<string, unknown> = {};
circular.self = circular;

/** A value that fast-check must not look at itself: it is made when the call is made. */
class Box {
  constructor(readonly make: () => unknown) {}
}

/** A copy of a generated value with its boxes opened; getters, and what is frozen, stay so. */
function opened(value: unknown): unknown {
  if (value instanceof Box) return value.make();
  if (Array.isArray(value)) return value.map(opened);
  if (typeof value !== 'object' || value === null || value.constructor !== Object) return value;
  const descriptors = Object.getOwnPropertyDescriptors(value);
  for (const descriptor of Object.values(descriptors) as PropertyDescriptor[]) {
    if ('value' in descriptor) descriptor.value = opened(descriptor.value);
  }
  const copy = Object.defineProperties({}, descriptors);
  return Object.isFrozen(value) ? Object.freeze(copy) : copy;
}

/** Values that are no request, no scope, no text and no date. */
const odd: fc.Arbitrary<unknown> = fc.oneof(
  fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true, maxDepth: 3 }),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom<unknown>(
    undefined,
    null,
    Number.NaN,
    -0,
    2 ** 53,
    1e308,
    '',
    '\ud800',
    '\0',
    '\u202e漢字',
    'x'.repeat(100_000),
    new Date(Number.NaN),
    new Date(8.64e15),
    Symbol('s'),
    () => 1,
    /x/,
    new Error('e'),
    new Uint8Array(3),
    ...[
      () => deep,
      () => circular,
      () => trapped({}),
      () => trapped([]),
      revoked,
      () => new Proxy(new Date(), {}),
      () => new Proxy(AbortSignal.abort(), {}),
    ].map((make) => new Box(make)),
    Object.freeze({ tenant: 'acme', user: 'ada' }),
    JSON.parse('{"__proto__":{"tenant":"x"}}'),
    Object.create({ tenant: 'acme', user: 'ada' }),
  ),
);

const scope: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: fc.constant(ADA) },
  { weight: 1, arbitrary: odd },
);
const turn = fc.record(
  {
    speaker: fc.oneof(fc.constant('Ada'), odd),
    text: fc.oneof(fc.constant('tea in the garden'), odd),
    id: odd,
    at: odd,
    caption: odd,
    meta: odd,
    [Symbol.toStringTag]: odd,
  },
  { requiredKeys: ['speaker', 'text'] },
);
const keys = {
  scope,
  session: odd,
  turns: fc.oneof(fc.array(turn, { maxLength: 3 }), odd),
  onInvalid: fc.oneof(fc.constantFrom('throw', 'report'), odd),
  signal: odd,
  query: fc.oneof(fc.constant('tea'), odd),
  context: fc.oneof(fc.array(odd, { maxLength: 3 }), odd),
  limit: odd,
  asOf: odd,
  filter: fc.oneof(fc.record({ session: odd, speaker: odd, from: odd, to: odd }, { requiredKeys: [] }), odd),
  deadlineMs: odd,
  explain: odd,
  turn: odd,
  meta: odd,
  everything: odd,
  from: odd,
  to: odd,
  records: fc.oneof(fc.array(odd, { maxLength: 3 }), odd),
  path: odd,
};
type Key = keyof typeof keys;

/** Some of the keys, sometimes one more, sometimes behind getters that throw or count, or no object at all. */
function requestOf(required: readonly Key[], optional: readonly Key[]): fc.Arbitrary<unknown> {
  const picked = Object.fromEntries([...required, ...optional].map((key) => [key, keys[key]]));
  const plain = fc.record(picked, { requiredKeys: [...required] });
  const armed = fc.tuple(plain, fc.nat(20)).map(([request, n]) => {
    const names = Object.keys(request);
    const name = names[n % Math.max(1, names.length)];
    if (name !== undefined) Object.defineProperty(request, name, { get: thrower, enumerable: true });
    return request;
  });
  return fc.oneof(
    { weight: 8, arbitrary: plain },
    { weight: 1, arbitrary: armed },
    { weight: 1, arbitrary: plain.map((request) => ({ ...request, unknown: 1 })) },
    { weight: 1, arbitrary: plain.map((request) => Object.freeze(request)) },
    { weight: 1, arbitrary: odd },
  );
}

/** Spoils what can be spoiled of a request, as a caller may the moment a call has returned. */
function spoil(request: unknown): void {
  try {
    for (const key of Object.keys(request as object)) (request as Record<string, unknown>)[key] = 'changed';
  } catch {
    // Frozen, trapped or no object.
  }
}

const CALLS: ReadonlyArray<[string, fc.Arbitrary<unknown>, (memory: Memory, request: never) => unknown]> = [
  [
    'observe',
    requestOf(['scope', 'turns'], ['session', 'onInvalid', 'signal']),
    (memory, request) => memory.observe(request),
  ],
  [
    'recall',
    requestOf(['scope', 'query'], ['context', 'limit', 'asOf', 'filter', 'deadlineMs', 'explain', 'signal']),
    (memory, request) => memory.recall(request),
  ],
  [
    'recallMany',
    fc.oneof(fc.array(requestOf(['scope', 'query'], ['limit', 'filter']), { maxLength: 3 }), odd),
    (memory, request) => memory.recallMany(request),
  ],
  ['turns', requestOf(['scope'], ['session', 'from', 'to']), (memory, request) => all(memory.turns(request))],
  ['amend', requestOf(['scope', 'turn', 'meta'], []), (memory, request) => memory.amend(request)],
  ['forget', requestOf(['scope'], ['turn', 'session']), (memory, request) => memory.forget(request)],
  ['export', requestOf(['scope'], []), (memory, request) => all(memory.export(request))],
  ['import', requestOf(['records'], ['scope']), (memory, request) => memory.import(request)],
  ['stats', requestOf([], ['scope']), (memory, request) => memory.stats(request)],
];

for (const [name, request, call] of CALLS) {
  test(`${name} of hostile objects: an OntomemError or a right answer, and the memory lives on`, async () => {
    await using memory = await openTiny();
    await memory.observe({ scope: ADA, turns: someTurns(5) });
    const before = new Map((await turnsOf(memory, ADA)).map((stored) => [stored.id, stored.text]));
    await fc.assert(
      fc.asyncProperty(request, async (value) => {
        await settles(name, () => {
          const given = opened(value);
          const running = call(memory, given as never);
          spoil(given);
          return running;
        });
      }),
      { numRuns: 300 },
    );
    const after = new Map((await turnsOf(memory, ADA)).map((stored) => [stored.id, stored.text]));
    for (const [id, text] of before) assert.is(after.get(id), text);
    const { evidence } = await memory.recall({ scope: ADA, query: 'word3' });
    assert.ok(evidence.some(({ turnId }) => turnId === 't3'));
  });
}

test('openMemory of hostile options: an OntomemError', async () => {
  const options = fc.record(
    {
      path: fc.constant(newStorePath()),
      encoder: odd.filter((value) => typeof value !== 'string'),
      limits: fc.oneof(fc.record({ textBytes: odd, residentBytes: odd }, { requiredKeys: [] }), odd),
      readOnly: odd,
      reencode: odd,
    },
    { requiredKeys: ['path', 'encoder'] },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        options,
        odd.filter((value) => typeof value !== 'string'),
      ),
      async (value) => {
        await settles('openMemory', async () => (await openMemory(opened(value) as never)).close());
      },
    ),
    { numRuns: 200, timeout: 5000 },
  );
});

test('openEncoder of hostile names and options: an OntomemError', async () => {
  await fc.assert(
    fc.asyncProperty(odd, odd, async (name, options) => {
      if (name === undefined) return;
      await settles('openEncoder', async () =>
        (await openEncoder(opened(name) as never, opened(options) as never)).close(),
      );
    }),
    { numRuns: 200 },
  );
});

test('an archive whose records are hostile is refused or taken in whole', async () => {
  await using memory = await openTiny();
  await memory.observe({ scope: ADA, turns: someTurns(3) });
  const records = await all(memory.export({ scope: ADA }));
  const place = fc.nat(records.length - 1);
  const field = fc.constantFrom(
    'kind',
    'id',
    'text',
    'vector',
    'meta',
    'at',
    'sha256',
    'turns',
    'encoder',
    'scope',
  );
  let user = 0;
  await fc.assert(
    fc.asyncProperty(place, field, odd, async (at, key, value) => {
      const changed: unknown[] = records.map((record, n) =>
        n === at ? { ...record, [key]: opened(value) } : record,
      );
      const target = { tenant: 'copies', user: `u${user++}` };
      await settles('import', () => memory.import({ records: changed, scope: target }));
      const count = (await turnsOf(memory, target)).length;
      assert.ok(count === 0 || count === 3, `${count} turns`);
    }),
    { numRuns: 200 },
  );
});

test('a signal that cannot be read any more is a typed error of recall and observe', async () => {
  await using memory = await openTiny();
  await memory.observe({ scope: ADA, turns: someTurns(1) });
  for (const reads of [1, 2, 3]) {
    const signalOf = () => {
      const { signal } = new AbortController();
      let count = 0;
      const get = () => (++count > reads ? thrower() : false);
      return Object.defineProperty(signal, 'aborted', { get });
    };
    await settles('recall', () => memory.recall({ scope: ADA, query: 'tea', signal: signalOf() }));
    await settles('observe', () =>
      memory.observe({ scope: ADA, turns: someTurns(1, reads), signal: signalOf() }),
    );
  }
});

test('an iterable that fails, and one that never was, are errors that keep their cause', async () => {
  await using memory = await openTiny();
  await using other = await openTiny({ encoder: new TinyEncoder() });
  await other.observe({ scope: ADA, turns: someTurns(2) });
  async function* broken() {
    yield (await all(other.export({ scope: ADA })))[0];
    throw Object.create(null);
  }
  for (const records of [
    broken(),
    { [Symbol.asyncIterator]: 1 },
    { [Symbol.iterator]: () => null },
    trapped([]),
  ]) {
    await settles('import', () => memory.import({ records: records as never }));
  }
  assert.is((await memory.stats()).turns, 0);
});

test.run();
