// The turns that exact search finds: a peer that compares every vector has to find the same.
import { dense } from '../../dist/bench/quality/arms/dense.js';
import { prepareConversation } from '../../dist/bench/quality/prepare.js';

/** @returns conversation -> query -> ids of the first `limit` turns of the arm 'dense'. */
export async function denseAnswers({ conversations }, { identity, cache }, limit) {
  const answers = new Map();
  for (const source of conversations) {
    const prepared = await prepareConversation(source, identity.dimension, (texts, role) =>
      cache.encode(texts, role),
    );
    const rank = dense.prepare(prepared.conversation);
    answers.set(
      source.id,
      new Map(prepared.queries.map((query) => [query.id, rank(query).ids.slice(0, limit)])),
    );
  }
  return answers;
}
