// LangGraph's InMemoryStore with an index over the text.

import { queryText } from '../../../dist/bench/quality/prepare.js';
import { passageOf } from '../../../dist/src/text/passage.js';

export const name = 'langgraph InMemoryStore';

export async function open(encoder) {
  const { InMemoryStore } = await import('@langchain/langgraph-checkpoint');
  const store = new InMemoryStore({
    index: { dims: encoder.identity.dimension, embeddings: encoder, fields: ['text'] },
  });
  // The store takes every namespace that begins with the same letters: 'user-1' would find the turns of 'user-10'.
  const namespaceOf = (user) => ['turns', user, 'all'];
  return {
    async add(user, session, turns) {
      encoder.role = 'passage';
      const operations = turns.map((turn) => ({
        namespace: namespaceOf(user),
        key: turn.id,
        value: { text: passageOf(turn), session },
      }));
      await store.batch(operations);
    },
    async search(user, query, limit) {
      encoder.role = 'query';
      const items = await store.search(namespaceOf(user), { query: queryText(query), limit });
      return items.map(({ key }) => key);
    },
    close: async () => {},
  };
}
