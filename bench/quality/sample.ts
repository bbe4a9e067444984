// A seeded sample of a data set's queries, for methods that take seconds a query.
import { seededRandom, shuffled } from '../random.js';
import type { Dataset } from './dataset.js';

/** Keeps `count` distinct queries, in every deal that asks them; conversations that lose all of theirs go. */
export function sampleQueries(dataset: Dataset, count: number, seed: number): Dataset {
  return keep(dataset, drawn(dataset, seed).slice(0, count));
}

/** The same, with as many of every slice (a query's first label) as the count allows. */
export function stratifiedSample(dataset: Dataset, count: number, seed: number): Dataset {
  const strata = new Map<string, string[]>();
  const slices = new Map(
    dataset.conversations.flatMap(({ queries }) => queries.map((query) => [query.id, query.slices[0] ?? ''])),
  );
  for (const id of drawn(dataset, seed)) {
    const slice = slices.get(id) ?? '';
    strata.set(slice, [...(strata.get(slice) ?? []), id]);
  }
  const rounds = Math.max(0, ...[...strata.values()].map(({ length }) => length));
  const inTurn = Array.from({ length: rounds }, (_, round) =>
    [...strata.values()].flatMap((ids) => ids[round] ?? []),
  );
  return keep(dataset, inTurn.flat().slice(0, count));
}

function drawn({ conversations }: Dataset, seed: number): string[] {
  const ids = conversations.flatMap(({ queries }) => queries.map(({ id }) => id));
  return shuffled([...new Set(ids)], seededRandom('sample', seed));
}

function keep(dataset: Dataset, ids: readonly string[]): Dataset {
  const kept = new Set(ids);
  const conversations = dataset.conversations.map((conversation) => ({
    ...conversation,
    queries: conversation.queries.filter(({ id }) => kept.has(id)),
  }));
  return { ...dataset, conversations: conversations.filter(({ queries }) => queries.length > 0) };
}
