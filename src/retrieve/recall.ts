// The way out: queries are encoded together and each answered from its scope's shard.
import type { Recall } from '../contract/recall.js';
import { OntomemError } from '../errors.js';
import { answer } from './answer.js';
import { Breather } from './breather.js';
import { SEARCH_RESERVE_MS } from './deadline.js';
import type { RecallParts } from './parts.js';
import { type Query, readerOf, toQuery } from './query.js';
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
  const breather = new Breather();
  const queries: Query[] = [];
  for (const request of requests) {
    queries.push(toQuery(request, reader));
    await breather.breathe();
  }
  // A scope that is not in memory is loaded while the encoder works.
  const loading = requests.map((request) => parts.residency.load(request.scope, lateness(request, begin)));
  const [encoded] = await Promise.all([encodeQueries(parts.encoder, queries, begin), ...loading]);
  stopIfAborted(requests);
  const answers: Recall[] = [];
  for (const [place, query] of queries.entries()) {
    answers.push(
      await parts.residency.use(query.asked.scope, lateness(query.asked, begin), (resident) =>
        answer(parts, query, { begin, encoded: encoded[place] ?? NOT_ENCODED, resident }),
      ),
    );
    await breather.breathe();
  }
  return answers;
}

/** When to go on with the part of a scope that is in memory. */
function lateness({ deadlineMs }: Asked, begin: number): () => boolean {
  if (deadlineMs === undefined) return () => false;
  return () => performance.now() - begin > deadlineMs - SEARCH_RESERVE_MS;
}
