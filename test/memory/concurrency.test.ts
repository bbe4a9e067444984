// Many callers at once: every answer is one that a sequence of whole calls could have given.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Scope } from '../../src/contract/scope.js';
import type { Memory } from '../../src/memory/memory.js';
import { present } from '../support/expecting.js';
import { openTiny, turnsOf } from '../support/memories.js';

const test = suite('concurrency');

type Step =
  | { verb: 'observe'; user: number; id: number; text: number }
  | { verb: 'forget'; user: number; id: number }
  | { verb: 'forget all'; user: number }
  | { verb: 'recall'; user: number; text: number };

const user = fc.nat(3);
const id = fc.nat(9);
const text = fc.nat(4);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ verb: fc.constant('observe' as const), user, id, text }) },
  { weight: 2, arbitrary: fc.record({ verb: fc.constant('forget' as const), user, id }) },
  { weight: 1, arbitrary: fc.record({ verb: fc.constant('forget all' as const), user }) },
  { weight: 4, arbitrary: fc.record({ verb: fc.constant('recall' as const), user, text }) },
);
/** Before a starved call would have its turn. */
const MOST_ASKED = 5000;
const WORDS = ['violin', 'garden', 'bicycle', 'saffron', 'telescope'];
const wordAt = (place: number) => present(WORDS[place]);
const scopeOf = (n: number): Scope => ({ tenant: 't', user: `u${n}` });

/** What one user's memory holds, the simple way: ids to words. Writes of a scope take effect as called. */
class Model {
  readonly users = [0, 1, 2, 3].map(() => new Map<string, string>());

  apply(step: Step): string {
    const turns = present(this.users[step.user]);
    switch (step.verb) {
      case 'observe': {
        const known = turns.get(`i${step.id}`);
        if (known !== undefined) return known === wordAt(step.text) ? 'unchanged' : 'TURN_CONFLICT';
        turns.set(`i${step.id}`, wordAt(step.text));
        return 'stored';
      }
      case 'forget':
        return turns.delete(`i${step.id}`) ? 'forgot 1' : 'NOT_FOUND';
      case 'forget all': {
        const count = turns.size;
        turns.clear();
        return count === 0 ? 'NOT_FOUND' : `forgot ${count}`;
      }
      case 'recall':
        return 'recalled';
    }
  }
}

/** Runs a step; what a recall finds is checked against every word its user ever stored. */
async function run(memory: Memory, step: Step): Promise<string> {
  const scope = scopeOf(step.user);
  try {
    switch (step.verb) {
      case 'observe': {
        const said = `${wordAt(step.text)} of user${step.user}`;
        const { turns } = await memory.observe({
          scope,
          turns: [{ id: `i${step.id}`, speaker: 'Me', text: said, at: 0 }],
        });
        return present(turns[0]).status;
      }
      case 'forget':
        return `forgot ${(await memory.forget({ scope, turn: `i${step.id}` })).forgotten}`;
      case 'forget all':
        return `forgot ${(await memory.forget({ scope, everything: true })).forgotten}`;
      case 'recall': {
        const { evidence } = await memory.recall({ scope, query: wordAt(step.text), limit: 50 });
        for (const { text: found } of evidence) assert.match(found, new RegExp(`user${step.user}$`));
        return 'recalled';
      }
    }
  } catch (error) {
    return String((error as { code?: string }).code ?? error);
  }
}

test('100 interleaved calls over four users end as the same calls one after the other', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 100, maxLength: 100 }), async (steps) => {
      await using memory = await openTiny({ limits: { residentBytes: 1 } });
      const model = new Model();
      const expected = steps.map((step) => model.apply(step));
      const results = await Promise.all(steps.map((step) => run(memory, step)));
      assert.equal(results, expected);
      for (const [n, turns] of model.users.entries()) {
        const stored = (await turnsOf(memory, scopeOf(n))).map(({ id, text }) => [id, text]);
        const wanted = [...turns].map(([id, word]) => [id, `${word} of user${n}`]);
        assert.equal(stored.sort(), wanted.sort());
        // The shard agrees with the disk: every stored word is found, by exactly its turns.
        for (const word of WORDS) {
          const { evidence } = await memory.recall({ scope: scopeOf(n), query: word, limit: 50 });
          const ids = evidence.filter(({ text }) => text.startsWith(word)).map(({ turnId }) => turnId);
          assert.equal(
            ids.sort(),
            [...turns]
              .filter(([, said]) => said === word)
              .map(([id]) => id)
              .sort(),
          );
        }
      }
    }),
    { numRuns: 8 },
  );
});

test('recalls beside writes to other users are never empty and never crossed', async () => {
  await using memory = await openTiny();
  const [a, b] = [scopeOf(0), scopeOf(1)];
  for (const [scope, name] of [
    [a, 'anna'],
    [b, 'bert'],
  ] as const) {
    await memory.observe({ scope, turns: [{ id: name, speaker: name, text: `${name} plays the violin` }] });
  }
  const calls = Array.from({ length: 100 }, async (_, n) => {
    const [scope, name] = n % 2 === 0 ? [a, 'anna'] : [b, 'bert'];
    if (n % 5 === 0) {
      const turns = [{ id: `${name}-${n}`, speaker: name, text: `${name} says ${n}` }];
      await memory.observe({ scope, turns });
    }
    const { evidence } = await memory.recall({ scope, query: 'violin' });
    assert.ok(evidence.some(({ turnId }) => turnId === name));
    assert.ok(evidence.every(({ speaker }) => speaker === name));
  });
  await Promise.all(calls);
});

test('writes and recalls without a deadline go on beside recalls with one that never pause', async () => {
  await using memory = await openTiny();
  const [busy, quiet] = [scopeOf(0), scopeOf(1)];
  const turn = (n: number) => ({
    id: `t${n}`,
    speaker: 'Ada',
    text: `violin lesson ${n} and what came of it`,
  });
  const turns = Array.from({ length: 1500 }, (_, n) => turn(n));
  await memory.observe({ scope: busy, turns });
  let asked = 0;
  let isOver = false;
  const flood = async () => {
    while (!isOver && asked < MOST_ASKED) {
      asked++;
      await memory.recall({ scope: busy, query: `violin ${asked % 7}`, deadlineMs: 50 });
    }
  };
  const flooding = Promise.all([flood(), flood()]);
  await Promise.all([
    memory.observe({ scope: quiet, turns: turns.slice(0, 150) }),
    memory.forget({ scope: busy, turn: 't3' }),
    memory.recall({ scope: busy, query: 'lesson' }),
  ]);
  isOver = true;
  await flooding;
  assert.ok(asked < MOST_ASKED, `${asked} recalls came first`);
});

test.run();
