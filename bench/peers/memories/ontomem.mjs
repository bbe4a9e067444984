// ontomem as a user opens it: a durable store in a folder.
import { openMemory } from '../../../dist/src/index.js';

export const name = 'ontomem';

export async function open(encoder, folder) {
  const memory = await openMemory({ path: folder, encoder });
  const scopeOf = (user) => ({ tenant: 'peers', user });
  return {
    async add(user, session, turns) {
      const inputs = turns.map(({ id, speaker, text, at, caption }) => ({
        id,
        speaker,
        text,
        at,
        ...(caption === undefined ? {} : { caption }),
      }));
      await memory.observe({ scope: scopeOf(user), session, turns: inputs });
    },
    async search(user, query, limit) {
      const { text, context } = query;
      const { evidence } = await memory.recall({
        scope: scopeOf(user),
        query: text,
        limit,
        ...(context && { context }),
      });
      return evidence.map(({ turnId }) => turnId);
    },
    close: () => memory.close(),
  };
}
