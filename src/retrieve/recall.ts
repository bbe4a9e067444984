// The way out: queries are encoded together and each answered from its scope's shard.
import type { Recall } from '../contract/recall.js';
import { OntomemError } from '../errors.js';
import { answer } from './answer.js';
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
  const encoded = await encodeQueries(parts.encoder, queries, begin);
  stopIfAborted(requests);
  return queries.map((query, place) => answer(parts, query, encoded[place] ?? NOT_ENCODED, begin));
}
