// The baselines on conversations small enough to know the answer.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bm25 } from '../../bench/quality/arms/bm25.js';
import { expansionArm } from '../../bench/quality/arms/feedback-expansion.js';
import { fuseRanks, rankFusion, scoreMix } from '../../bench/quality/arms/hybrid.js';
import { baselineArms } from '../../bench/quality/arms/index.js';
import { Keyness } from '../../bench/quality/arms/keyness.js';
import { Lexicon, termCounts } from '../../bench/quality/arms/lexicon.js';
import { longContextArm } from '../../bench/quality/arms/long-context.js';
import { globalMemory, memoragArm } from '../../bench/quality/arms/memorag.js';
import { believe, expandTerms } from '../../bench/quality/arms/pseudo-feedback.js';
import { standardised } from '../../bench/quality/arms/scoring.js';
import { summarise, summaryArm, summaryMemory } from '../../bench/quality/arms/summary-memory.js';
import { questionContent, statementsFor } from '../../bench/quality/arms/templates.js';
import { tokensOf } from '../../bench/quality/cost.js';
import { termVector } from '../../src/text/terms.js';
import { present } from '../support/expecting.js';
import { prepared, rankWith, services, turnsOf } from './arms-support.js';

const turns = turnsOf(
  'We repainted the kitchen in a pale yellow on Sunday',
  'Assistant: Did the colour come out as you hoped?',
  'My cousin breeds alpacas near the reservoir',
  'The dentist moved my appointment to Thursday',
  'Assistant: Noted, Thursday it is.',
  'I bought four alpaca jumpers at the fair',
  'Rain all week, the gutters are singing',
  'I learnt to bake sourdough from a neighbour',
);

test('every baseline ranks every turn, each once, and none from after the question', async () => {
  const asked = present(turns[5]).at;
  const seen = turns.slice(0, 6).map(({ id }) => id);
  for (const arm of baselineArms) {
    const { ids, cost } = await rankWith(arm, turns, 'alpacas near the reservoir', asked);
    assert.equal([...ids].sort(), seen, arm.name);
    assert.ok(cost.candidatesScored >= 0, arm.name);
  }
});

test('every baseline that keeps all turns finds the one that says what the question says', async () => {
  for (const arm of baselineArms.filter((known) => known !== summaryMemory)) {
    const { ids } = await rankWith(arm, turns, 'My cousin breeds alpacas near the reservoir');
    assert.is(ids[0], 't2', arm.name);
  }
});

test('reciprocal ranks add up as by hand', () => {
  const scores = fuseRanks(
    [
      [0, 1, 2],
      [2, 0],
    ],
    3,
  );
  assert.ok(Math.abs(present(scores[0]) - (1 / 61 + 1 / 62)) < 1e-6);
  assert.ok(Math.abs(present(scores[1]) - 1 / 62) < 1e-6);
  assert.ok(Math.abs(present(scores[2]) - (1 / 63 + 1 / 61)) < 1e-6);
});

test('hybrids prefer the turn that both views like', async () => {
  for (const arm of [rankFusion, scoreMix])
    assert.is((await rankWith(arm, turns, 'alpacas near the reservoir')).ids[0], 't2');
});

test('standardised scores have mean 0 and variance 1 over the positions given, and equals are all 0', () => {
  const scores = standardised(Float32Array.of(1, 3, 100), [0, 1]);
  assert.equal([...scores], [-1, 1, 0]);
  assert.equal([...standardised(Float32Array.of(5, 5), [0, 1])], [0, 0]);
});

test('BM25: a rare term outweighs a frequent one, a shorter text a longer one, repetition saturates', () => {
  const documents = ['cat sofa', 'cat cat cat sofa', 'cat', 'owl', 'cat sofa lamp door window'].map(
    termVector,
  );
  const lexicon = new Lexicon(documents);
  const scores = (text: string) => lexicon.scores(termCounts(termVector(text)));
  const cat = scores('cat');
  assert.is(cat[3], 0);
  assert.ok(present(cat[2]) > present(cat[0]) && present(cat[0]) > present(cat[4]));
  assert.ok(present(cat[1]) < 2.2 * present(cat[0]));
  assert.ok(present(scores('owl')[3]) > present(cat[2]));
});

test('BM25 does without the query vector', async () => {
  const { conversation, query } = await prepared(turns, 'sourdough');
  const rank = await bm25.prepare(conversation, services);
  const { ids } = await rank({ ...query, vector: new Float32Array(query.vector.length).fill(Number.NaN) });
  assert.is(ids[0], 't7');
});

test('long context keeps the newest turns that fit and pays for all of them', async () => {
  const size = (position: number) =>
    tokensOf(present(turns[position]).text) + tokensOf('User: ') - tokensOf('');
  const budget = size(7) + size(6) + size(5) + 3;
  const { ids, cut, cost } = await rankWith(longContextArm(budget), turns, 'alpacas near the reservoir');
  assert.equal([...ids].sort(), ['t5', 't6', 't7']);
  assert.is(cut, 3);
  assert.ok(present(cost.promptTokens) <= budget && present(cost.promptTokens) > size(7) + size(6));
  assert.is((await rankWith(longContextArm(1), turns, 'alpacas')).cut, 0);
});

test('keyness: own statements over questions and echoes, telling ones over small talk', async () => {
  const { conversation } = await prepared(turns, 'x');
  const keyness = new Keyness(conversation);
  assert.ok(keyness.of('I keep bees and alpacas') > keyness.of('They keep bees and alpacas'));
  assert.ok(keyness.of('I keep bees and alpacas') > keyness.of('Do I keep bees and alpacas?'));
  assert.ok(keyness.of('I keep bees and alpacas') > keyness.of('I do think so too'));
});

test('a summary says what tells something, and nothing twice', async () => {
  const repeated = turnsOf(
    'I collect antique fountain pens from Bristol',
    'I collect antique fountain pens from Bristol',
    'My knees ache whenever thunder is near',
    'I gave up sugar for the marathon',
    'ok',
    'sure, whatever',
  );
  const { conversation } = await prepared(repeated, 'x');
  const kept = await summarise(conversation, services, { share: 1, redundancy: 1, behind: 0.8 });
  const said = kept.sentences.map(({ words }) => words);
  assert.is(new Set(said).size, said.length);
  assert.ok(said.includes('My knees ache whenever thunder is near'));
  assert.ok(said.includes('I gave up sugar for the marathon'));
  assert.not.ok(said.includes('ok'));
  assert.is(kept.vectors.length, said.length * conversation.dimension);
});

test('a turn left out of the summary is found behind the sentence that stands for it', async () => {
  const session = turnsOf(
    'My cousin breeds alpacas near the reservoir at Lowick',
    'Do alpacas breed well near the reservoir?',
    'My kettle whistles in two keys',
  );
  const settings = { share: 0.7, redundancy: 1, behind: 0.8 };
  const { conversation } = await prepared(session, 'x');
  const { sentences } = await summarise(conversation, services, settings);
  assert.equal(
    sentences.map(({ turn }) => turn),
    [0, 2],
  );
  const { ids } = await rankWith(summaryArm(settings), session, 'alpacas near the reservoir');
  assert.equal(ids, ['t0', 't1', 't2']);
});

test('the global memory keeps what people tell of themselves', async () => {
  const { conversation } = await prepared(turns, 'x');
  const memory = globalMemory(conversation, 0.5);
  assert.ok(memory.includes(2) && memory.includes(5));
  assert.not.ok(memory.includes(1) || memory.includes(4));
});

test('clues from the memory reach a turn that shares no word with the question', async () => {
  const linked = turnsOf(
    'I adore the composer Sibelius, his swans most of all',
    'The bus was late again',
    'Assistant: The swans by Sibelius are played at the town hall in June.',
    'Assistant: Buses are late in winter.',
    'Assistant: Noted.',
    'Assistant: Good night.',
  );
  const settings = { share: 0.3, statements: 1, terms: 10, queryWeight: 0, clueWeight: 0, termWeight: 0 };
  for (const way of [{ clueWeight: 1 }, { termWeight: 1 }]) {
    const { ids } = await rankWith(memoragArm({ ...settings, ...way }), linked, 'which composer do I adore');
    assert.equal(ids.slice(0, 2), ['t0', 't2'], Object.keys(way)[0]);
  }
});

test('feedback adds the terms of the believed turns and keeps the length of the query', async () => {
  const { conversation, query } = await prepared(turns, 'alpaca');
  const believed = believe(
    Float32Array.from(turns, () => 1),
    [2],
  );
  const own = termCounts(query.terms);
  const settings = { turns: 1, terms: 3, ownTerms: 0.5, centroid: 0.5 };
  const expanded = expandTerms(own, conversation, believed, () => 1, settings);
  const mass = [...expanded.values()].reduce((sum, weight) => sum + weight, 0);
  assert.ok(Math.abs(mass - 1) < 1e-6);
  assert.ok(expanded.size > own.size);
  assert.is(believed[0]?.share, 1);
});

test('expansion reaches a turn that shares words with the first hit alone', async () => {
  const linked = turnsOf(
    'My therapist Ingrid recommends swimming at the lido',
    'The lido closes in September, Ingrid said',
    'Potatoes are cheap this year',
    'A van blocked the drive',
  );
  const arm = expansionArm({ turns: 1, terms: 6, ownTerms: 0.5, centroid: 0.5, denseShare: 0.5 });
  assert.equal((await rankWith(arm, linked, 'therapist')).ids.slice(0, 2), ['t0', 't1']);
});

test('a question loses its form and keeps its content', () => {
  assert.is(
    questionContent('When did Caroline go to the support group?'),
    'Caroline go to the support group',
  );
  assert.is(questionContent('Can you recommend a film for tonight?'), 'a film for tonight');
  assert.is(questionContent('Why?'), 'Why?');
});

test('statements speak in the voice of the one person, and not in that of a named one', () => {
  const alone = statementsFor('What should I cook tonight?', new Set(['User', 'Assistant']));
  assert.is(alone.length, 3);
  assert.ok(alone.every((text) => text.startsWith('User: ') && text.includes('cook tonight')));
  assert.equal(statementsFor("What is Ravi's dog called?", new Set(['Ravi', 'Ottilie'])), ['dog called.']);
  assert.equal(statementsFor('Who adopted a dog?', new Set(['Ravi', 'Ottilie'])), ['adopted a dog.']);
});

test.run();
