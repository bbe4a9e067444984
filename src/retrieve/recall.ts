// The way out: queries are encoded together and each answered from its scope's shard.
import type { Recall } from '../contract/recall.js';
import { OntomemError } from '../errors.js';
import { answer } from './answer.js';
import { SEARCH_RESERVE_MS } from './deadline.js';
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
  // A scope that is not in memory is loaded while the encoder works.
  const loading = requests.map((request) => parts.residency.load(request.scope, lateness(request, begin)));
  const [vectors] = await Promise.all([encodeQueries(parts.encoder, requests, begin), ...loading]);
  stopIfAborted(requests);
  return Promise.all(
    requests.map((request, position) =>
      parts.residency.use(request.scope, lateness(request, begin), (resident) =>
        answer(parts, request, { begin, vector: vectors[position], resident }),
      ),
    ),
  );
}

/** When to go on with the part of a scope that is in memory. */
function lateness({ deadlineMs }: Asked, begin: number): () => boolean {
  if (deadlineMs === undefined) return () => false;
  return () => performance.now() - begin > deadlineMs - SEARCH_RESERVE_MS;
}
