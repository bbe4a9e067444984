// The way out: queries are checked, encoded together and each answered from its scope's shard.
import type { Recall, RecallRequest } from '../contract/recall.js';
import { OntomemError } from '../errors.js';
import { answer } from './answer.js';
import type { RecallParts } from './parts.js';
import { encodeQueries } from './query-vectors.js';
import { checkRequests, stopIfAborted } from './request.js';

/**
 * Finds the turns that bear on the query: one encoder pass, then one native call. Ties: score, then
 * newer turn, then arrival. Past `deadlineMs` the encoder is not waited for and the lexical arm answers.
 */
export async function recall(parts: RecallParts, request: RecallRequest): Promise<Recall> {
  const [found] = await recallMany(parts, [request]);
  if (found === undefined)
    throw new OntomemError('NATIVE_FAILED', { input: 'recall', problem: 'gave no answer' });
  return found;
}

/** Answers many queries; their texts go through the encoder together. */
export async function recallMany(parts: RecallParts, requests: readonly RecallRequest[]): Promise<Recall[]> {
  const begin = performance.now();
  const checked = checkRequests(requests, parts.limits);
  stopIfAborted(checked);
  const vectors = await encodeQueries(parts.encoder, checked, begin);
  stopIfAborted(checked);
  return checked.map((request, position) => answer(parts, request, begin, vectors[position]));
}
