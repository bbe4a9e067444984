// mem0's open-source Memory for Node with `infer: false`: no language model, vectors in its SQLite store.

import { queryText } from '../../../dist/bench/quality/prepare.js';
import { passageOf } from '../../../dist/src/text/passage.js';

export const name = 'mem0ai';

export async function open(encoder, folder) {
  // Read when the module loads.
  process.env.MEM0_TELEMETRY = 'false';
  process.env.MEM0_DIR = folder;
  const { Memory } = await import('mem0ai/oss');
  const memory = new Memory({
    embedder: { provider: 'langchain', config: { model: encoder } },
    vectorStore: {
      provider: 'memory',
      config: { collectionName: 'turns', dimension: encoder.identity.dimension, dbPath: ':memory:' },
    },
    // Never asked with `infer: false`, but the constructor wants one.
    llm: { provider: 'openai', config: { apiKey: 'unused', model: 'unused' } },
    disableHistory: true,
  });
  const turnOf = new Map();
  return {
    async add(user, _session, turns) {
      encoder.role = 'passage';
      const messages = turns.map((turn) => ({ role: 'user', content: passageOf(turn) }));
      const { results } = await memory.add(messages, { userId: user, infer: false });
      for (const [i, { id }] of results.entries()) turnOf.set(id, turns[i].id);
    },
    async search(user, query, limit) {
      encoder.role = 'query';
      const filters = { user_id: user };
      // The default threshold of .1 would cut what the others return.
      const { results } = await memory.search(queryText(query), { topK: limit, threshold: 0, filters });
      return results.map(({ id }) => turnOf.get(id));
    },
    close: async () => {},
  };
}
