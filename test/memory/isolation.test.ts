// Nothing crosses a scope: neither what is recalled nor what is listed, forgotten or counted.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Scope } from '../../src/contract/scope.js';
import type { Memory } from '../../src/memory/memory.js';
import { scopeKey } from '../../src/store/keys.js';
import { failure, present } from '../support/expecting.js';
import { idsOf, openTiny, turnsOf } from '../support/memories.js';

const test = suite('isolation');

/** Stores one marked turn; every scope says the same words so that each would match every query. */
async function mark(memory: Memory, scope: Scope, id: string): Promise<void> {
  await memory.observe({ scope, turns: [{ id, speaker: 'Me', text: `my favourite tea ${id}`, at: 0 }] });
}

async function assertOnly(memory: Memory, scope: Scope, id: string): Promise<void> {
  assert.equal(await idsOf(memory, scope), [id], JSON.stringify(scope));
  const { evidence } = await memory.recall({ scope, query: 'favourite tea', limit: 100 });
  assert.equal(
    evidence.map(({ turnId }) => turnId),
    [id],
    JSON.stringify(scope),
  );
  assert.is((await memory.stats({ scope })).turns, 1);
}

test('1,000 users with the same words: each recalls, lists and forgets only its own', async () => {
  await using memory = await openTiny();
  const scopes = Array.from({ length: 1000 }, (_, n) => ({ tenant: `t${n % 7}`, user: `u${n}` }));
  await Promise.all(scopes.map((scope, n) => mark(memory, scope, `turn-${n}`)));
  assert.is((await memory.stats()).scopes, 1000);
  const answers = await memory.recallMany(
    scopes.map((scope) => ({ scope, query: 'favourite tea', limit: 1000 })),
  );
  for (const [n, { evidence }] of answers.entries()) {
    assert.equal(
      evidence.map(({ turnId }) => turnId),
      [`turn-${n}`],
    );
  }
  await fc.assert(
    fc.asyncProperty(fc.nat(999), fc.nat(999), async (a, b) => {
      fc.pre(a !== b);
      const other = present(scopes[b]);
      await failure('NOT_FOUND', () => memory.forget({ scope: other, turn: `turn-${a}` }));
      await failure('NOT_FOUND', () => memory.amend({ scope: other, turn: `turn-${a}`, meta: { x: 1 } }));
      await assertOnly(memory, present(scopes[a]), `turn-${a}`);
    }),
    { numRuns: 25 },
  );
  await memory.forget({ scope: present(scopes[500]), everything: true });
  assert.equal(await idsOf(memory, present(scopes[500])), []);
  await assertOnly(memory, present(scopes[499]), 'turn-499');
  await assertOnly(memory, present(scopes[501]), 'turn-501');
});

const LOOKALIKES: Scope[] = [
  { tenant: 'a', user: 'bc' },
  { tenant: 'ab', user: 'c' },
  { tenant: 'abc', user: '\0' },
  { tenant: 'a', user: 'b' },
  { tenant: 't', user: 'user_1' },
  { tenant: 't', user: 'userX1' },
  { tenant: 't', user: 'user%' },
  { tenant: 't', user: 'user*' },
  { tenant: 't', user: 'USER_1' },
  { tenant: 't', user: 'user_1 ' },
  { tenant: 't', user: 'user_1\0' },
  { tenant: 't', user: 'user_1/..' },
  { tenant: 't', user: '..' },
  { tenant: 't', user: '__proto__' },
  { tenant: '__proto__', user: 'constructor' },
  { tenant: 't', user: '\u00e9' },
  { tenant: 't', user: 'e\u0301' },
  { tenant: 't', user: '007' },
  { tenant: 't', user: '7' },
  { tenant: 't', user: '1e3' },
  { tenant: 't', user: '1000' },
  { tenant: 't', user: 'ß' },
  { tenant: 't', user: 'ss' },
  { tenant: 't', user: '\u202euser' },
  { tenant: 't', user: '漢字' },
  { tenant: 't', user: '🧑‍🧑‍🧒' },
  { tenant: 't', user: 'x'.repeat(512) },
  { tenant: 't', user: 'x'.repeat(511) },
];

test('names that look alike, end in each other or hold wildcards are different users', async () => {
  await using memory = await openTiny();
  for (const [n, scope] of LOOKALIKES.entries()) await mark(memory, scope, `turn-${n}`);
  for (const [n, scope] of LOOKALIKES.entries()) await assertOnly(memory, scope, `turn-${n}`);
  for (const [n, scope] of LOOKALIKES.entries()) {
    assert.equal(await memory.forget({ scope, everything: true }), { forgotten: 1 });
    assert.equal(await turnsOf(memory, scope), []);
    assert.is((await memory.stats()).scopes, LOOKALIKES.length - n - 1);
  }
});

test('no two scopes of any Unicode share a key, nor is one key the beginning of another', () => {
  const name = fc.string({ unit: 'binary', minLength: 1, maxLength: 12 });
  const scope = fc.record({ tenant: name, user: name });
  fc.assert(
    fc.property(scope, scope, (a, b) => {
      const same = a.tenant === b.tenant && a.user === b.user;
      const [left, right] = [scopeKey(a), scopeKey(b)];
      assert.is(left.equals(right), same);
      if (!same) assert.not.ok(left.subarray(0, right.length).equals(right));
    }),
    { numRuns: 2000 },
  );
});

test('one user cannot change the ranking of another', async () => {
  await using memory = await openTiny();
  const victim = { tenant: 't', user: 'victim' };
  await memory.observe({
    scope: victim,
    turns: ['I play the violin', 'rye bread again', 'a train to Lisbon'].map((text, n) => ({
      id: `v${n}`,
      speaker: 'Vi',
      text,
      at: n,
    })),
  });
  const ask = async () =>
    (await memory.recall({ scope: victim, query: 'violin', explain: true })).evidence.map(
      ({ turnId, score, explanation }) => [turnId, score, explanation],
    );
  const before = await ask();
  await memory.observe({
    scope: { tenant: 't', user: 'attacker' },
    turns: Array.from({ length: 300 }, (_, n) => ({
      id: `v${n}`,
      speaker: 'Vi',
      text: `violin violin ${n}`,
    })),
  });
  assert.equal(await ask(), before);
});

test.run();
