// Recall as it is served, with the real encoder, on the demo's conversation of eight months.
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DEMO_QUESTIONS } from '../../bench/demo/questions.js';
import { type Memory, openMemory } from '../../src/index.js';
import { openSource } from '../../src/ingest/sources/read-source.js';
import { newStorePath } from '../support/memories.js';

const test = suite('recall with MiniLM');
const CONVERSATION = fileURLToPath(new URL('../../../bench/demo/conversation.jsonl', import.meta.url));
const SCOPE = { tenant: 'demo', user: 'ines' };
let memory: Memory;

test.before(async () => {
  memory = await openMemory({ path: newStorePath() });
  const source = await openSource(CONVERSATION, { scope: SCOPE, session: 'default' });
  for await (const { scope, session, turns } of source.batches())
    await memory.observe({ scope, session, turns });
});
test.after(() => memory.close());

async function placeOf(query: string, gold: readonly string[], limit = 10): Promise<number> {
  const { evidence } = await memory.recall({ scope: SCOPE, query, limit });
  return evidence.findIndex(({ turnId }) => gold.includes(turnId)) + 1;
}

test('implicit questions find what was said once, months ago, in other words', async () => {
  // Six questions guard against a break; the headline is measured in bench, on many people, not here.
  const implicit = DEMO_QUESTIONS.filter(({ kind }) => kind === 'implicit');
  const places = await Promise.all(implicit.map(({ text, gold }) => placeOf(text, gold)));
  const found = places.filter((place) => place > 0);
  assert.ok(found.length >= implicit.length - 1, `places ${places.join(' ')}`);
});

test('explicit questions are answered', async () => {
  const explicit = DEMO_QUESTIONS.filter(({ kind }) => kind === 'explicit');
  const places = await Promise.all(explicit.map(({ text, gold }) => placeOf(text, gold)));
  assert.ok(places.filter((place) => place > 0).length >= explicit.length - 1, `places ${places.join(' ')}`);
});

test('an exact rare word is found however little the sentence around it resembles the query', async () => {
  const scope = { tenant: 'demo', user: 'gate' };
  const fillers = Array.from({ length: 60 }, (_, n) => ({
    speaker: 'Ada',
    text: `On day ${n} we talked about gardens, holidays, films and how the week had been, nothing special at all.`,
  }));
  const odd = { id: 'odd', speaker: 'Bo', text: 'kx-4471-zeta' };
  await memory.observe({ scope, turns: [...fillers.slice(0, 30), odd, ...fillers.slice(30)] });
  const { evidence } = await memory.recall({
    scope,
    query: 'Could you remind me about the gardens, the holidays and the code kx-4471-zeta we wrote down?',
    limit: 3,
  });
  assert.ok(
    evidence.some(({ turnId }) => turnId === 'odd'),
    evidence.map(({ text }) => text).join(' | '),
  );
});

test('nonsense gets nothing, and says so', async () => {
  for (const query of ['asdf qwer zxcv uiop', 'florble grumpf dwizzle', 'zzzz qqqq xxxx', '#### ????']) {
    const { evidence, abstained } = await memory.recall({ scope: SCOPE, query });
    assert.is(abstained, true, query);
    assert.equal(evidence, []);
  }
});

test('a question in Chinese finds the sentence in Chinese at the first place', async () => {
  const scope = { tenant: 'demo', user: 'han' };
  const turns = ['今天天气不错', '我对花生严重过敏，一点都不能吃', '周末想去爬山', '新买的相机很好用'];
  await memory.observe({ scope, turns: turns.map((text, n) => ({ id: `h${n}`, speaker: '小李', text })) });
  for (const query of ['花生', '我可以吃花生酱吗']) {
    const { evidence } = await memory.recall({ scope, query });
    assert.is(evidence[0]?.turnId, 'h1', query);
  }
});

test('the arms explain the score of every piece of evidence', async () => {
  const { evidence } = await memory.recall({
    scope: SCOPE,
    query: 'How did Leo break his arm?',
    explain: true,
  });
  assert.ok(evidence.length > 1);
  assert.ok((evidence[0]?.explanation?.lexical ?? 0) > 0, 'the best turn has the rare words of the question');
  // The score is the fused parts, calibrated: what has more of them stands before what has less.
  const fused = evidence.map(({ explanation }) => explanation?.fused ?? Number.NaN);
  assert.equal(
    fused,
    fused.toSorted((one, other) => other - one),
  );
});

test.run();
