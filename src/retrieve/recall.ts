// The way out: queries are encoded together and each answered from its scope's shard.
import type { Recall } from '../contract/recall.js';
import { OntomemError } from '../errors.js';
import { answer } from './answer.js';
import type { RecallParts } from './parts.js';
import { encodeQueries } from './query-vectors.js';
import { type Asked, stopIfAborted } from './request.js';

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
  const vectors = await encodeQueries(parts.encoder, requests, begin);
  stopIfAborted(requests);
  return requests.map((request, position) => answer(parts, request, begin, vectors[position]));
}
