// Baselines with a model behind them: late interaction, the cross-encoder, rewriting by an endpoint.
import { existsSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ask } from '../../bench/quality/arms/chat-endpoint.js';
import { CrossEncoder } from '../../bench/quality/arms/cross-encoder.js';
import { crossEncoderArm } from '../../bench/quality/arms/cross-encoder-rerank.js';
import { optionalArms } from '../../bench/quality/arms/index.js';
import { lateInteractionArm } from '../../bench/quality/arms/late-interaction.js';
import { llmRewriteArm, statementsOf } from '../../bench/quality/arms/llm-rewrite.js';
import { TokenIndex } from '../../bench/quality/arms/token-index.js';
import { BenchEncoder, servicesOf } from '../../bench/quality/bench-encoder.js';
import { quantise, restored } from '../../bench/quality/token-states.js';
import { failure, present } from '../support/expecting.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { TinyEncoder } from '../support/tiny-encoder.js';
import { encoder, rankWith, services, turnsOf } from './arms-support.js';

const turns = turnsOf(
  'A heron stood in the pond at noon',
  'The pond froze',
  'At noon the mayor spoke',
  'Nothing else happened that day in our street',
);

/** MaxSim by its definition, in double precision. */
function definedMaxSim(query: Float32Array, passage: Float32Array, dimension: number): number {
  const rows = (states: Float32Array) =>
    Array.from({ length: states.length / dimension }, (_, row) =>
      states.subarray(row * dimension, (row + 1) * dimension),
    );
  const cosine = (a: Float32Array, b: Float32Array) =>
    a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
  const best = rows(query).map((token) => Math.max(...rows(passage).map((own) => cosine(token, own))));
  return best.reduce((sum, value) => sum + value, 0) / best.length;
}

test('MaxSim is the mean of the best cosine of each query token', async () => {
  const passage = Float32Array.of(1, 0, 0, 1, Math.SQRT1_2, Math.SQRT1_2);
  const index = new TokenIndex([quantise(passage, 2), quantise(new Float32Array(), 2)], 2);
  const query = Float32Array.of(1, 0, 0, -1);
  // The first token meets (1,0) with 1; the second finds nothing better than (1,0) with 0.
  assert.ok(Math.abs(index.maxSim(query, 0) - 0.5) < 0.01);
  assert.is(index.maxSim(query, 1), 0);
  assert.is(index.maxSim(new Float32Array(), 0), 0);
  index.close();
});

test('the native index gives what the definition gives, for queries of any length', async () => {
  const { dimension } = encoder.identity;
  const texts = turns.map(({ text }) => text);
  const states = await services.passageStates(texts);
  const index = new TokenIndex(states, dimension);
  const queries = ['pond', 'A heron spoke at noon in the street', 'day '.repeat(40)];
  for (const text of queries) {
    const query = await services.queryStates(text);
    for (const [place, passage] of states.entries()) {
      const defined = definedMaxSim(query, restored(passage), dimension);
      assert.ok(Math.abs(index.maxSim(query, place) - defined) < 1e-6, `${text} ~ ${texts[place]}`);
    }
  }
  index.close();
});

test('int8 states keep cosines to a hundredth', async () => {
  const text = 'A heron stood in the pond';
  const index = new TokenIndex(await services.passageStates([text]), encoder.identity.dimension);
  assert.ok(Math.abs(index.maxSim(await services.queryStates(text), 0) - 1) < 0.01);
  index.close();
});

test('late interaction lifts the turn that has each of the words', async () => {
  const { ids, cost } = await rankWith(lateInteractionArm(3), turns, 'heron pond noon');
  assert.is(ids[0], 't0');
  assert.is(ids.length, turns.length);
  assert.ok(cost.candidatesScored > turns.length);
});

test('an encoder without token states is refused by name', async () => {
  const opened = await BenchEncoder.open(new TinyEncoder(), temporaryFolder('plain'));
  const { message } = await failure('ENCODER_INVALID', () => servicesOf(opened).passageStates(['x']));
  assert.match(message, 'tiny');
  await opened.close();
});

const shared = process.env.ONTOMEM_SHARED;
const reranker =
  process.env.ONTOMEM_RERANKER ??
  (shared === undefined ? '' : join(shared, 'models', 'ms-marco-MiniLM-L-12-v2'));
const withModel = existsSync(reranker) ? test : test.skip;
if (!existsSync(reranker)) console.log('skipped: no cross-encoder (set ONTOMEM_RERANKER to its folder)');

withModel('the cross-encoder puts the answer first, whatever the order and the batches', async () => {
  const model = await CrossEncoder.open(reranker);
  const passages = [
    'Bread needs flour, water, salt and time.',
    'Ana: I moved to Lisbon in the spring of 2021.',
    'Lisbon is the capital of Portugal.',
    'x '.repeat(900),
  ];
  const { scores, tokens } = await model.score('When did Ana move to Lisbon?', passages);
  assert.is(scores.indexOf(Math.max(...scores)), 1);
  const sum = tokens.reduce((total, own) => total + own, 0);
  assert.ok(sum > 512 && sum < 700);
  const { scores: reversed } = await model.score('When did Ana move to Lisbon?', passages.toReversed());
  assert.is(reversed.indexOf(Math.max(...reversed)), 2);
  await model.close();
});

withModel('the rerank arm counts the tokens it read', async () => {
  const { ids, cost } = await rankWith(crossEncoderArm(reranker, { weight: 1 }), turns, 'Who gave a speech?');
  assert.is(ids[0], 't2');
  assert.ok(present(cost.crossEncoderTokens) > 20);
});

test('a folder without a model is named', async () => {
  const folder = temporaryFolder('reranker');
  const { message } = await failure('ENCODER_INVALID', () => CrossEncoder.open(folder));
  assert.ok(message.includes(folder));
});

test('arms that lack a part are left out with a sentence', () => {
  const none = optionalArms({});
  assert.is(none.arms.length, 0);
  assert.is(none.skipped.length, 2);
  const both = optionalArms({ reranker: 'folder', llm: 'http://127.0.0.1:1/v1' });
  assert.equal(
    both.arms.map(({ name }) => name),
    ['cross-encoder', 'query rewrite (llm)'],
  );
  assert.is(both.skipped.length, 0);
});

/** Serves on loopback for the time of `work`. */
async function served(answer: RequestListener, work: (url: string) => Promise<void>): Promise<void> {
  const server: Server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  try {
    await work(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/v1/`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

const chat = (content: string) =>
  JSON.stringify({ choices: [{ message: { content } }], usage: { total_tokens: 321 } });

test('the endpoint drafts statements that are searched, and its tokens are paid for', async () => {
  const asked: string[] = [];
  const answer: RequestListener = (request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      asked.push(`${request.url} ${body}`);
      response.end(chat('1. A heron stood in the pond at noon\n- The pond'));
    });
  };
  await served(answer, async (url) => {
    const { ids, cost } = await rankWith(llmRewriteArm({ url, model: 'small' }), turns, 'wading bird?');
    assert.is(ids[0], 't0');
    assert.ok(present(cost.promptTokens) > 321);
    assert.ok(present(cost.encoderTokens) > 0);
  });
  assert.is(asked.length, 1);
  assert.ok(asked[0]?.startsWith('/v1/chat/completions ') && asked[0].includes('"small"'));
});

test('an endpoint that fails, lies or floods is a typed error with its address', async () => {
  const answers: RequestListener[] = [
    (_, response) => response.writeHead(503).end(),
    (_, response) => response.end('<html>'),
    (_, response) => response.end('{"choices":[]}'),
    (_, response) => response.end(chat('x'.repeat(100_000))),
    ({ url }, response) =>
      url === '/elsewhere'
        ? response.end(chat('followed'))
        : response.writeHead(302, { location: '/elsewhere' }).end(),
  ];
  for (const answer of answers) {
    await served(answer, async (url) => {
      const { input } = await failure('INVALID_ARGUMENT', () => ask({ url }, 'system', 'user'));
      assert.is(input, url);
    });
  }
});

test('lines lose numbers and bullets, and their count is bounded', () => {
  assert.equal(statementsOf('1) I swim.\n\n* I row.\n• I sail.\nI ski.'), ['I swim.', 'I row.', 'I sail.']);
});

test.run();
