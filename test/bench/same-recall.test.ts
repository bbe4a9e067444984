// What is measured is what is served: the bench's engine and a Memory give the same turns and the same scores.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readCorpus } from '../../bench/ipr/corpus.js';
import type { PreparedConversation } from '../../bench/quality/arm.js';
import { fused } from '../../bench/quality/arms/fused.js';
import {
  type BenchEncoder,
  benchEncoder,
  cachedServices,
  servicesOf,
} from '../../bench/quality/bench-encoder.js';
import { iprDialogues, iprFriends } from '../../bench/quality/datasets/ipr.js';
import { prepareConversation } from '../../bench/quality/prepare.js';
import { VectorCache } from '../../bench/quality/vector-cache.js';
import { openEncoder } from '../../src/encode/open-encoder.js';
import { type Memory, openMemory } from '../../src/index.js';
import { newStorePath } from '../support/memories.js';

const test = suite('one recall path');
const QUERIES = 12;
/** The cache encodes texts in other batches than a memory does. */
const ROUNDING = 1e-4;

let opened: BenchEncoder;
let memory: Memory;

test.before(async () => {
  const encoder = await openEncoder();
  opened = benchEncoder(encoder, await VectorCache.open(encoder));
  memory = await openMemory({ path: newStorePath(), encoder });
});

test.after(async () => {
  await memory.close();
  await opened.engine.close();
  await opened.cache.close();
  await opened.encoder.close();
});

/** The conversation as a caller observes it, session by session. */
async function observe({ id, turns }: PreparedConversation) {
  const scope = { tenant: 'same', user: id };
  for (const [place, { session }] of turns.entries()) {
    if (turns[place - 1]?.session === session) continue;
    const end = turns.findIndex((turn, later) => later > place && turn.session !== session);
    const said = turns.slice(place, end < 0 ? turns.length : end);
    await memory.observe({
      scope,
      session,
      turns: said.map(({ id, speaker, text, at, caption }) => ({
        id,
        speaker,
        text,
        at,
        ...(caption === undefined ? {} : { caption }),
      })),
    });
  }
  return scope;
}

const corpus = readCorpus('dev');
for (const [name, dataset] of Object.entries({
  dialogues: iprDialogues(corpus, 1, 1),
  friends: iprFriends(corpus),
})) {
  test(`${name}: the engine of the bench answers as Memory does`, async () => {
    const [source] = dataset.conversations;
    assert.ok(source);
    const services = cachedServices(opened);
    const { conversation, queries } = await prepareConversation(source, services);
    const scope = await observe(conversation);
    const rank = await fused.prepare(conversation, servicesOf(opened));
    const plan = await opened.engine.plan();
    // Evenly, so that every kind of query is among them.
    const stride = Math.ceil(queries.length / QUERIES);
    const drawn = queries.filter((_, place) => place % stride === 0);
    assert.ok(drawn.length >= QUERIES / 2);
    for (const query of drawn) {
      const { text, context = [], at } = query;
      const served = await memory.recall({
        scope,
        query: text,
        context: [...context],
        explain: true,
        ...(at === undefined ? {} : { asOf: at }),
      });
      const measured = await opened.engine.ask(conversation, query, plan, { limit: 10, explain: true });
      assert.ok(served.evidence.length > 0, query.id);
      assert.equal(
        measured.evidence.map(({ turnId }) => turnId),
        served.evidence.map(({ turnId }) => turnId),
        query.id,
      );
      for (const [place, { score, explanation }] of served.evidence.entries()) {
        const other = measured.evidence[place];
        assert.ok(Math.abs(score - (other?.score ?? Number.NaN)) < ROUNDING, query.id);
        assert.ok(
          Math.abs((explanation?.fused ?? 0) - (other?.explanation?.fused ?? Number.NaN)) < ROUNDING,
          query.id,
        );
      }
      // The depth that metrics need changes nothing of the first ten.
      const { ids } = await rank(query);
      assert.equal(
        ids.slice(0, 10),
        served.evidence.map(({ turnId }) => turnId),
      );
    }
  });
}

test.run();
