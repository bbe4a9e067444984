// The way out: queries are encoded together and each answered from its scope's shard.
import type { Recall } from '../contract/recall.js';
import { OntomemError } from '../errors.js';
import { answer } from './answer.js';
import { SEARCH_RESERVE_MS } from './deadline.js';
import type { RecallParts } from './parts.js';
import { readerOf, toQuery } from './query.js';
import { type EncodedQuery, encodeQueries } from './query-vectors.js';
import { type Asked, stopIfAborted } from './request.js';

const NOT_ENCODED: EncodedQuery = { vector: undefined, encodeMs: 0 };

/**
 * Finds the turns that bear on the query: one encoder pass, then one native call. Ties: score, then
 * newer turn, then arrival. Past `deadlineMs` the encoder is not waited for and the lexical arm answers.
 */
export async function recall(parts: RecallParts, request: Asked): Promise<Recall> {
  const [found] = await recallMany(parts, [request]);
  if (found === undefined)
    throw new OntomemError('NATIVE_FAILED', { input: 'recall', problem: 'gave no answer' });
  return found;
}

/** Answers many queries; their texts go through the encoder together. */
export async function recallMany(parts: RecallParts, requests: readonly Asked[]): Promise<Recall[]> {
  const begin = performance.now();
  stopIfAborted(requests);
  const reader = readerOf(parts.encoder);
  const queries = requests.map((request) => toQuery(request, reader));
  // A scope that is not in memory is loaded while the encoder works.
  const loading = requests.map((request) => parts.residency.load(request.scope, lateness(request, begin)));
  const [encoded] = await Promise.all([encodeQueries(parts.encoder, queries, begin), ...loading]);
  stopIfAborted(requests);
  return Promise.all(
    queries.map((query, place) =>
      parts.residency.use(query.asked.scope, lateness(query.asked, begin), (resident) =>
        answer(parts, query, { ...(encoded[place] ?? NOT_ENCODED), begin, resident }),
      ),
    ),
  );
}

/** When to go on with the part of a scope that is in memory. */
function lateness({ deadlineMs }: Asked, begin: number): () => boolean {
  if (deadlineMs === undefined) return () => false;
  return () => performance.now() - begin > deadlineMs - SEARCH_RESERVE_MS;
}
