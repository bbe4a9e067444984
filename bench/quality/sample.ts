// A seeded sample of a data set's queries, for methods that take seconds a query.
import { seededRandom, shuffled } from '../random.js';
import type { Dataset } from './dataset.js';

/** Keeps `count` distinct queries, in every deal that asks them; conversations that lose all of theirs go. */
export function sampleQueries(dataset: Dataset, count: number, seed: number): Dataset {
  const ids = dataset.conversations.flatMap(({ queries }) => queries.map(({ id }) => id));
  const kept = new Set(shuffled([...new Set(ids)], seededRandom('sample', seed)).slice(0, count));
  const conversations = dataset.conversations.map((conversation) => ({
    ...conversation,
    queries: conversation.queries.filter(({ id }) => kept.has(id)),
  }));
  return { ...dataset, conversations: conversations.filter(({ queries }) => queries.length > 0) };
}
