// The way out: queries are encoded together and each answered from its scope's shard.

import { breathe } from '../breather.js';
import type { Recall } from '../contract/recall.js';
import { type Scope, scopeName } from '../contract/scope.js';
import { OntomemError } from '../errors.js';
import { answer, search } from './answer.js';
import { searchAt } from './deadline.js';
import type { RecallParts } from './parts.js';
import { type Query, readerOf, toQuery } from './query.js';
import { type EncodedQuery, encodeQueries } from './query-vectors.js';
import { type Asked, stopIfAborted } from './request.js';

const NOT_ENCODED: EncodedQuery = { vector: undefined, encodeMs: 0 };

/**
 * Finds the turns that bear on the query: one encoder pass, then one native call. Ties: score, then
 * newer turn, then arrival. Past `deadlineMs` the encoder is not waited for and the lexical arm answers.
 */
export async function recall(parts: RecallParts, request: Asked, begin?: number): Promise<Recall> {
  const [found] = await recallMany(parts, [request], begin);
  if (found === undefined)
    throw new OntomemError('NATIVE_FAILED', { input: 'recall', problem: 'gave no answer' });
  return found;
}

/** Answers many queries; their texts go through the encoder together. Deadlines count from `begin`. */
export async function recallMany(
  parts: RecallParts,
  requests: readonly Asked[],
  begin = performance.now(),
): Promise<Recall[]> {
  stopIfAborted(requests);
  const reader = readerOf(parts.encoder);
  const queries: Query[] = [];
  for (const request of requests) {
    const dueAt = searchAt(request, begin);
    await breathe(dueAt);
    queries.push(await toQuery(request, reader, dueAt));
  }
  const [encoded] = await Promise.all([
    encodeQueries(parts.encoder, queries, begin),
    loadAhead(parts, requests, begin),
  ]);
  stopIfAborted(requests);
  const answers: Recall[] = [];
  for (const [place, query] of queries.entries()) {
    const dueAt = searchAt(query.asked, begin);
    // The first one with a deadline was waited for; the others take turns with other work.
    if (place > 0 || query.asked.deadlineMs === undefined) await breathe(dueAt);
    const { vector, encodeMs } = encoded[place] ?? NOT_ENCODED;
    const started = performance.now();
    const found = await parts.residency.use(
      query.asked.scope,
      dueAt,
      (resident) => resident && search(parts, query, { begin, vector, resident }),
    );
    answers.push(await answer(parts, query, { begin, started, vector, encodeMs, found }));
  }
  return answers;
}

/** Scopes that are not in memory are loaded while the encoder works, one after the other and each once. */
async function loadAhead(parts: RecallParts, requests: readonly Asked[], begin: number): Promise<void> {
  const ahead = new Map<string, { scope: Scope; dueAt: number }>();
  for (const request of requests) {
    const { scope } = request;
    const known = ahead.get(scopeName(scope));
    const dueAt = Math.max(known?.dueAt ?? 0, searchAt(request, begin));
    ahead.set(scopeName(scope), { scope, dueAt });
  }
  for (const { scope, dueAt } of ahead.values()) await parts.residency.load(scope, dueAt);
}
