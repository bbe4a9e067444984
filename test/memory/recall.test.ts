// The way out: scores, order, deadlines, filters and the iterator.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { all, failure, present } from '../support/expecting.js';
import { ADA, BO, openTiny, someTurns } from '../support/memories.js';
import { TinyEncoder } from '../support/tiny-encoder.js';

const test = suite('recall');

const LETTERS = (n: number) => n.toString(26).replace(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)] ?? '');

test('scores lie in [0,1], descend, and follow the fused sum that explain shows', async () => {
  await using memory = await openTiny();
  await memory.observe({ scope: ADA, turns: someTurns(120) });
  const word = fc.constantFrom(
    'tea',
    'garden',
    'train',
    'Lisbon',
    'violin',
    'rye',
    'maps',
    'word7',
    'word33',
    'x',
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(word, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 200 }),
      async (words, limit) => {
        const { evidence } = await memory.recall({
          scope: ADA,
          query: words.join(' '),
          limit,
          explain: true,
        });
        assert.ok(evidence.length <= limit);
        assert.is(new Set(evidence.map(({ turnId }) => turnId)).size, evidence.length);
        for (const [place, { score, explanation, at }] of evidence.entries()) {
          const { dense, lexical, structure, fused } = present(explanation);
          assert.ok(score >= 0 && score <= 1, `score ${score}`);
          assert.ok(
            Math.abs(dense + lexical + structure - fused) < 1e-4,
            'the parts add up to the fused sum',
          );
          const next = evidence[place + 1];
          if (next === undefined) continue;
          assert.ok(score >= next.score, 'descending');
          assert.ok(fused >= present(next.explanation).fused - 1e-4, 'monotone with the fused sum');
          if (score === next.score && fused === present(next.explanation).fused)
            assert.ok(at >= next.at, 'of two equals the newer one first');
        }
      },
    ),
    { numRuns: 60 },
  );
});

test('a turn with the very words of the query comes first, and its score is the highest', async () => {
  await using memory = await openTiny();
  await memory.observe({ scope: ADA, turns: someTurns(60) });
  for (const n of [0, 13, 59]) {
    const { evidence, abstained } = await memory.recall({ scope: ADA, query: `word${n}`, limit: 60 });
    assert.is(present(evidence[0]).turnId, `t${n}`);
    assert.is(abstained, false);
  }
});

test('a limit beyond the usual candidates is met', async () => {
  await using memory = await openTiny();
  await memory.observe({ scope: ADA, turns: someTurns(300) });
  for (const limit of [1, 64, 65, 200]) {
    const { evidence } = await memory.recall({ scope: ADA, query: 'tea in the garden', limit });
    assert.is(evidence.length, limit);
    assert.is(new Set(evidence.map(({ turnId }) => turnId)).size, limit);
  }
});

test('without explain there is no explanation', async () => {
  await using memory = await openTiny();
  await memory.observe({ scope: ADA, turns: someTurns(3) });
  const { evidence } = await memory.recall({ scope: ADA, query: 'tea' });
  assert.ok(evidence.every((item) => !('explanation' in item)));
});

test('the same question gives the same answer, alone or among many', async () => {
  await using memory = await openTiny();
  await memory.observe({ scope: ADA, turns: someTurns(80) });
  await memory.observe({ scope: BO, turns: someTurns(10, 500) });
  const requests = ['tea', 'violin word12', 'old maps'].flatMap((query) => [
    { scope: ADA, query },
    { scope: BO, query },
  ]);
  const together = await memory.recallMany(requests);
  for (const [position, request] of requests.entries()) {
    assert.equal(present(together[position]).evidence, (await memory.recall(request)).evidence);
  }
  assert.equal(await memory.recallMany([]), []);
});

test('a filter and asOf hold for every piece of evidence', async () => {
  await using memory = await openTiny();
  await memory.observe({ scope: ADA, session: 'one', turns: someTurns(30) });
  await memory.observe({ scope: ADA, session: 'two', turns: someTurns(30, 30) });
  const at = (n: number) => Date.UTC(2024, 0, 1) + n * 60_000;
  const ids = async (request: object) =>
    (await memory.recall({ scope: ADA, query: 'tea in the garden', limit: 100, ...request })).evidence.map(
      ({ turnId }) => Number(turnId.slice(1)),
    );
  const everything = await ids({});
  assert.ok(everything.length > 10);
  assert.ok((await ids({ filter: { session: 'two' } })).every((n) => n >= 30));
  assert.ok((await ids({ filter: { speaker: 'Bo' } })).every((n) => n % 2 === 1));
  const between = await ids({ filter: { from: at(10), to: new Date(at(20)) } });
  assert.ok(between.length > 0 && between.every((n) => n >= 10 && n < 20), between.join());
  const then = await ids({ asOf: new Date(at(15)).toISOString() });
  assert.ok(then.length > 0 && then.every((n) => n <= 15), then.join());
  assert.equal(await ids({ filter: { session: 'three' } }), []);
  assert.equal(await ids({ filter: { speaker: 'Cleo' } }), []);
  assert.equal(await ids({ filter: { from: at(20), to: at(10) } }), []);
});

test('bad requests are typed errors that name the field', async () => {
  await using memory = await openTiny();
  await memory.observe({ scope: ADA, turns: someTurns(3) });
  const bad = async (
    code: 'INVALID_ARGUMENT' | 'DATE_INVALID' | 'TEXT_TOO_LONG' | 'TEXT_INVALID',
    extra: object,
  ) => (await failure(code, () => memory.recall({ scope: ADA, query: 'tea', ...extra }))).input;
  assert.match(await bad('INVALID_ARGUMENT', { limit: 0 }), /limit/);
  assert.match(await bad('INVALID_ARGUMENT', { limit: 2.5 }), /limit/);
  assert.match(await bad('INVALID_ARGUMENT', { limit: 1_000_000 }), /limit/);
  assert.match(await bad('INVALID_ARGUMENT', { deadlineMs: -1 }), /deadlineMs/);
  assert.match(await bad('INVALID_ARGUMENT', { deadlineMs: Number.NaN }), /deadlineMs/);
  assert.match(await bad('INVALID_ARGUMENT', { k: 5 }), /recall/);
  assert.match(await bad('DATE_INVALID', { asOf: 'yesterday' }), /asOf/);
  assert.match(await bad('DATE_INVALID', { asOf: new Date('x') }), /asOf/);
  assert.match(await bad('DATE_INVALID', { filter: { from: '2024-13-01' } }), /from/);
  assert.match(await bad('TEXT_TOO_LONG', { query: 'tea '.repeat(50_000) }), /query/);
  assert.match(await bad('TEXT_INVALID', { query: 'tea \udfff' }), /query/);
  assert.match(await bad('TEXT_INVALID', { context: ['ok', '\ud800'] }), /context\[1\]/);
});

test('a query without words, an empty one and one of control characters do not fail', async () => {
  await using memory = await openTiny();
  await memory.observe({ scope: ADA, turns: someTurns(10) });
  for (const query of ['', '   ', '\0\u0007', '?!', '\u202e\u200f', '🫖', '\n\n']) {
    const answer = await memory.recall({ scope: ADA, query });
    assert.is(answer.abstained, answer.evidence.length === 0, JSON.stringify(query));
  }
  const { evidence, abstained, partial } = await memory.recall({ scope: ADA, query: '' });
  assert.equal([evidence, abstained, partial], [[], true, false]);
});

/** A memory whose encoder waits until it is released, once `hold` was called. */
async function heldMemory() {
  let release: () => void = () => undefined;
  let held: Promise<void> | undefined;
  const encoder = new TinyEncoder({ before: () => held });
  const memory = await openTiny({ encoder });
  await memory.observe({ scope: ADA, turns: someTurns(50) });
  const hold = () => {
    held = new Promise((resolve) => {
      release = resolve;
    });
  };
  return { memory, hold, release: () => release() };
}

test('a deadline that passes is not waited out by the encoder: the answer comes, marked partial', async () => {
  const { memory, hold, release } = await heldMemory();
  hold();
  const started = performance.now();
  const answer = await memory.recall({ scope: ADA, query: 'word17', deadlineMs: 20 });
  assert.ok(performance.now() - started < 5000, 'it did not wait');
  assert.is(answer.partial, true);
  const tiny = await memory.recall({ scope: ADA, query: 'word17', deadlineMs: 1e-6 });
  assert.is(tiny.partial, true);
  const unhurried = memory.recall({ scope: ADA, query: 'word17', deadlineMs: 600_000 });
  release();
  assert.is((await unhurried).partial, false);
  assert.is(present((await unhurried).evidence[0]).turnId, 't17');
  await memory.close();
});

test('an answer that stands only after its deadline says so, also of many: late names the search', async () => {
  await using memory = await openTiny();
  await memory.observe({ scope: ADA, turns: someTurns(5) });
  // A query that asks nothing is not encoded: nothing but the answer itself can be late.
  const request = { scope: ADA, query: '?', deadlineMs: 1e-6 };
  for (const { late, partial } of await memory.recallMany([request, request])) {
    assert.equal(late, ['search']);
    assert.is(partial, true);
  }
});

test('many queries of 64 KB let the event loop go round between them', async () => {
  await using memory = await openTiny();
  await memory.observe({ scope: ADA, turns: someTurns(5) });
  let rounds = 0;
  const beat = setInterval(() => rounds++, 1);
  const query = (k: number) =>
    Array.from({ length: 8000 }, (_, n) => `${LETTERS(n * 31 + k * 7919)}`).join(' ');
  const requests = Array.from({ length: 8 }, (_, k) => ({ scope: ADA, query: query(k).slice(0, 65_536) }));
  rounds = 0;
  await memory.recallMany(requests);
  clearInterval(beat);
  assert.ok(rounds >= 2, `${rounds} rounds`);
});

test('past the deadline the lexical arm answers', async () => {
  const { memory, hold, release } = await heldMemory();
  hold();
  const { evidence } = await memory.recall({ scope: ADA, query: 'word17', deadlineMs: 50 });
  assert.is(present(evidence[0]).turnId, 't17');
  release();
  await memory.close();
});

test('an aborted signal refuses a recall with ABORTED', async () => {
  await using memory = await openTiny();
  await memory.observe({ scope: ADA, turns: someTurns(3) });
  await failure('ABORTED', () => memory.recall({ scope: ADA, query: 'tea', signal: AbortSignal.abort() }));
});

test('a signal that aborts while the query is encoded ends the recall with ABORTED', async () => {
  const controller = new AbortController();
  let abort = false;
  const encoder = new TinyEncoder({ before: () => (abort ? controller.abort() : undefined) });
  await using memory = await openTiny({ encoder });
  await memory.observe({ scope: ADA, turns: someTurns(3) });
  abort = true;
  await failure('ABORTED', () => memory.recall({ scope: ADA, query: 'tea', signal: controller.signal }));
});

test('turns() yields all of them, page after page, and of one session when asked', async () => {
  await using memory = await openTiny();
  await memory.observe({ scope: ADA, session: 'few', turns: someTurns(25) });
  assert.is((await all(memory.turns({ scope: ADA }))).length, 25);
  await memory.observe({ scope: ADA, session: 'many', turns: someTurns(1500, 25) });
  const ids = (await all(memory.turns({ scope: ADA }))).map(({ id }) => id);
  assert.equal(
    ids,
    Array.from({ length: 1525 }, (_, n) => `t${n}`),
  );
  assert.is((await all(memory.turns({ scope: ADA, session: 'few' }))).length, 25);
  assert.is((await all(memory.export({ scope: ADA }))).length, 1527);
});

test('more turns of one moment than a page holds are all listed, in order of arrival', async () => {
  await using memory = await openTiny();
  const turns = someTurns(1100).map((turn) => ({ ...turn, at: 0 }));
  await memory.observe({ scope: ADA, turns });
  assert.equal(
    (await all(memory.turns({ scope: ADA }))).map(({ id }) => id),
    turns.map(({ id }) => id),
  );
});

test.run();
