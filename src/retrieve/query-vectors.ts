// The vectors of queries: one encoder call for all, waited for as long as each one's deadline allows.
import type { Encoder } from '../contract/encoder.js';
import { searchAt, within } from './deadline.js';
import type { Query } from './query.js';

/** A query's vector, undefined where its deadline came first or it asks nothing, and what it took. */
export interface EncodedQuery {
  vector: Float32Array | undefined;
  encodeMs: number;
}

/**
 * One a query, in their order. `begin` is when the call came in. When nobody waits any more the encoder is told to
 * stop: what is late must not hold up the queries that come after it.
 */
export async function encodeQueries(
  encoder: Encoder,
  queries: readonly Query[],
  begin: number,
): Promise<EncodedQuery[]> {
  const asked = queries.filter(({ isMeaningful }) => isMeaningful);
  const places = new Map(asked.map((query, place) => [query, place]));
  const { dimension } = encoder.identity;
  const started = performance.now();
  const nobodyWaits = new AbortController();
  const dueAt = Math.min(...asked.map((query) => searchAt(query.asked, begin)));
  let waiting = asked.length;
  const encoding =
    waiting === 0
      ? undefined
      : encoder.encode(
          asked.map(({ text }) => text),
          {
            role: 'query',
            signal: nobodyWaits.signal,
            ...(dueAt === Number.POSITIVE_INFINITY ? {} : { dueAt }),
          },
        );
  return Promise.all(
    queries.map(async (query) => {
      const place = places.get(query);
      if (place === undefined || encoding === undefined) return { vector: undefined, encodeMs: 0 };
      const encoded = await within(encoding, searchAt(query.asked, begin) - performance.now());
      waiting--;
      if (waiting === 0 && encoded === undefined) nobodyWaits.abort();
      return {
        vector: encoded?.vectors.slice(place * dimension, (place + 1) * dimension),
        encodeMs: performance.now() - started,
      };
    }),
  );
}
