// A recall answers whatever it is asked, and what it reports of itself is so.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openEncoder } from '../../src/encode/open-encoder.js';
import { openMemory } from '../../src/memory/memory.js';
import { present } from '../support/expecting.js';
import { ADA, BO, newStorePath, openTiny, someTurns } from '../support/memories.js';
import { TinyEncoder } from '../support/tiny-encoder.js';

const test = suite('answers');
const RARE = 'What colour is the kayak?';

test('a filter on an empty or a forgotten user finds nothing, alone and among others', async () => {
  await using memory = await openTiny();
  await memory.observe({ scope: ADA, turns: someTurns(5) });
  await memory.observe({ scope: BO, session: 's', turns: someTurns(5) });
  await memory.forget({ scope: BO, everything: true });
  const nobody = { tenant: 'acme', user: 'nobody' };
  const requests = [BO, nobody].flatMap((scope) => [
    { scope, query: 'tea', filter: { session: 's' } },
    { scope, query: 'tea', filter: { speaker: 'Bo' } },
    { scope, query: 'tea', filter: { session: 's', speaker: 'Bo', from: 0 } },
    { scope, query: 'tea' },
  ]);
  for (const request of requests) {
    const { evidence, abstained } = await memory.recall(request);
    assert.equal([evidence, abstained], [[], true]);
  }
  const answers = await memory.recallMany([{ scope: ADA, query: 'word3' }, ...requests]);
  assert.is(present(present(answers[0]).evidence[0]).turnId, 't3');
  assert.ok(answers.slice(1).every(({ abstained }) => abstained));
});

test('a query of more distinct words than the core takes is answered by its first ones', async () => {
  await using memory = await openTiny();
  await memory.observe({ scope: ADA, turns: someTurns(20) });
  const words = Array.from({ length: 8000 }, (_, n) => `q${n.toString(36)}`).join(' ');
  const { evidence } = await memory.recall({ scope: ADA, query: `word7 ${words}`, explain: true });
  const lexical = evidence.map(({ turnId, explanation }) => ({ turnId, by: present(explanation).lexical }));
  assert.is(present(lexical.sort((a, b) => b.by - a.by)[0]).turnId, 't7');
});

test('a deadline beyond what a timer can wait is no deadline', async () => {
  await using memory = await openTiny();
  await memory.observe({ scope: ADA, turns: someTurns(20) });
  for (const deadlineMs of [2 ** 31, 1e15, Number.MAX_VALUE]) {
    const { evidence, partial } = await memory.recall({ scope: ADA, query: 'word7', deadlineMs });
    assert.equal([present(evidence[0]).turnId, partial], ['t7', false]);
  }
});

test('a long context cuts nothing of the query: the real encoder still tells questions apart', async () => {
  const encoder = await openEncoder();
  try {
    await using memory = await openMemory({ path: newStorePath(), encoder });
    const turns = [
      { id: 'film', speaker: 'Ada', text: 'I cried through Titanic again last night.' },
      { id: 'food', speaker: 'Ada', text: 'The curry at the corner place was wonderful.' },
      { id: 'pipe', speaker: 'Ada', text: 'The plumber fixed the kitchen pipe.' },
    ];
    await memory.observe({ scope: ADA, turns });
    const context = ['I have to tell you about my week at the office. '.repeat(600), 'Go on. '.repeat(900)];
    const ask = async (query: string) =>
      (await memory.recall({ scope: ADA, query, context, explain: true })).evidence;
    const [film, food] = [await ask('Which movie made her weep?'), await ask('Where did she eat well?')];
    const dense = (evidence: typeof film, id: string) =>
      present(evidence.find(({ turnId }) => turnId === id)?.explanation).dense;
    assert.ok(dense(film, 'film') > dense(food, 'film') + 0.05, 'another question, another vector');
    assert.ok(dense(food, 'food') > dense(film, 'food') + 0.05);
  } finally {
    await encoder.close();
  }
});

test('route.arms names the arms that took part', async () => {
  let hold: Promise<void> | undefined;
  let release: () => void = () => undefined;
  await using memory = await openTiny({ encoder: new TinyEncoder({ before: () => hold }) });
  await memory.observe({ scope: ADA, turns: someTurns(20) });
  const arms = async (query: string, extra: object = {}) =>
    (await memory.recall({ scope: ADA, query, ...extra })).route.arms;
  assert.equal(await arms('word7'), ['dense', 'lexical', 'structure']);
  assert.equal(await arms('xylophone'), ['dense', 'structure'], 'no word of it is known');
  assert.equal(await arms('?!'), []);
  hold = new Promise((resolve) => {
    release = resolve;
  });
  assert.equal(await arms('word7', { deadlineMs: 20 }), ['lexical', 'structure']);
  release();
});

test('cost tells what was scored from what was ranked', async () => {
  await using memory = await openTiny();
  await memory.observe({ scope: ADA, turns: someTurns(300) });
  const { cost } = await memory.recall({ scope: ADA, query: 'tea' });
  assert.is(cost.scored, 300);
  assert.ok(cost.candidates >= 10 && cost.candidates <= 64, String(cost.candidates));
  const { cost: large } = await memory.recall({ scope: ADA, query: 'tea', limit: 100 });
  assert.ok(large.candidates >= 100 && large.candidates <= 200, String(large.candidates));
  assert.equal((await memory.recall({ scope: BO, query: 'tea' })).cost, { scored: 0, candidates: 0 });
});

test('timings of recallMany are each request’s own', async () => {
  await using memory = await openTiny();
  await memory.observe({ scope: ADA, turns: someTurns(2000) });
  const requests = Array.from({ length: 40 }, (_, n) => ({
    scope: ADA,
    query: `tea in the garden word${n}`,
  }));
  const begin = performance.now();
  const answers = await memory.recallMany([...requests, { scope: ADA, query: '' }]);
  const elapsed = performance.now() - begin;
  let before = 0;
  for (const { timings } of answers) {
    const { encodeMs, searchMs, totalMs } = timings;
    assert.ok(encodeMs >= 0 && searchMs >= 0 && encodeMs + searchMs <= totalMs + 0.1);
    assert.ok(totalMs >= before && totalMs <= elapsed, 'answers come one after the other');
    before = totalMs;
  }
  const searched = answers.reduce((sum, { timings }) => sum + timings.searchMs, 0);
  assert.ok(searched <= elapsed, 'no time is counted twice');
  const shared = answers.slice(0, -1).map(({ timings }) => timings.encodeMs);
  assert.ok(Math.max(...shared) - Math.min(...shared) < elapsed / 4, 'one pass encoded them all');
  assert.is(answers.at(-1)?.timings.encodeMs, 0, 'what asks nothing is not encoded');
});

test('under a filter a score and an abstention speak of the turns that may be returned', async () => {
  await using memory = await openTiny();
  const kayak = { id: 'kayak', speaker: 'Ada', text: 'The kayak is green', at: 0 };
  await memory.observe({ scope: ADA, session: 'boats', turns: [kayak] });
  await memory.observe({ scope: ADA, session: 'work', turns: someTurns(400) });
  const ask = async (extra: object) => memory.recall({ scope: ADA, query: RARE, ...extra });
  const [everywhere] = (await ask({})).evidence;
  const [inside] = (await ask({ filter: { session: 'boats' } })).evidence;
  assert.is(everywhere?.turnId, 'kayak');
  assert.is(inside?.turnId, 'kayak');
  assert.ok(
    present(inside).score > present(everywhere).score,
    'one in one is more likely meant than one in 401',
  );
  // Nonsense but for one word, which only a turn outside the filter has.
  const query = 'qqqq wwww eeee rrrr kayak';
  assert.is((await ask({ query })).abstained, false);
  assert.is((await ask({ query, filter: { session: 'boats' } })).abstained, false);
  assert.is((await ask({ query, filter: { session: 'work' } })).abstained, true);
});

test.run();
