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
import { maxSim, quantise, TokenStateStore } from '../../bench/quality/arms/token-states.js';
import { failure, present } from '../support/expecting.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { encoder, rankWith, turnsOf } from './arms-support.js';

const turns = turnsOf(
  'A heron stood in the pond at noon',
  'The pond froze',
  'At noon the mayor spoke',
  'Nothing else happened that day in our street',
);

test('MaxSim is the mean of the best cosine of each query token', () => {
  const passage = quantise(Float32Array.of(2, 0, 0, 1, 1, 1), 2);
  const query = Float32Array.of(1, 0, 0, -1);
  // The first token meets (1,0) with 1; the second finds nothing better than (1,0) with 0.
  assert.ok(Math.abs(maxSim(query, passage, 2) - 0.5) < 0.01);
  assert.is(maxSim(query, quantise(new Float32Array(), 2), 2), 0);
});

test('int8 states keep cosines to a hundredth', async () => {
  const store = new TokenStateStore(encoder);
  const text = 'A heron stood in the pond';
  const [states] = await store.passages([text]);
  assert.ok(
    Math.abs(maxSim(await store.query(text), present(states), encoder.identity.dimension) - 1) < 0.01,
  );
});

test('each distinct text is encoded once, however many conversations share it', async () => {
  const store = new TokenStateStore(encoder);
  await store.passages(['one text', 'one text', 'another']);
  const calls = encoder.calls.length;
  const bytes = store.bytes;
  await store.passages(['another', 'one text']);
  assert.is(encoder.calls.length, calls);
  assert.is(store.bytes, bytes);
});

test('late interaction lifts the turn that has each of the words', async () => {
  const { ids, cost } = await rankWith(lateInteractionArm(3), turns, 'heron pond noon');
  assert.is(ids[0], 't0');
  assert.is(ids.length, turns.length);
  assert.ok(cost.candidatesScored > turns.length);
});

test('an encoder without token states is refused by name', async () => {
  const plain = {
    identity: encoder.identity,
    encode: async () => ({ vectors: new Float32Array() }),
    close: async () => {},
  };
  await failure('ENCODER_INVALID', () => new TokenStateStore(plain).passages(['x']));
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
  assert.ok(tokens > 512 && tokens < 700);
  const { scores: reversed } = await model.score('When did Ana move to Lisbon?', passages.toReversed());
  assert.is(reversed.indexOf(Math.max(...reversed)), 2);
  await model.close();
});

withModel('the rerank arm counts the tokens it read', async () => {
  const { ids, cost } = await rankWith(
    crossEncoderArm(reranker, { depth: 4, weight: 1 }),
    turns,
    'Who gave a speech?',
  );
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
