// The way out: a query is checked, encoded and answered from the scope's shard.
import { ulid } from 'ulidx';
import { z } from 'zod';
import { check, checkMoment, checkText } from '../contract/check.js';
import type { Encoder } from '../contract/encoder.js';
import type { Limits } from '../contract/limits.js';
import {
  type Evidence,
  type LatePart,
  type Recall,
  type RecallRequest,
  recallRequestSchema,
} from '../contract/recall.js';
import type { Turn } from '../contract/turn.js';
import { OntomemError } from '../errors.js';
import type { RecallParameter } from '../native/layout.js';
import type { Residency, Resident } from '../store/residency.js';
import type { TurnReader } from '../store/turns/turn-reader.js';
import { queryTerms } from '../text/query-terms.js';
import { within } from './deadline.js';
import type { EncoderScale } from './encoder-scale.js';
import { type Hit, recallFromShard, type ShardAnswer } from './shard-recall.js';
import { calibratedFor, DENSE_FIRST, type RecallPlan } from './strategy.js';

/** What recalling works with. */
export interface RecallParts {
  log: TurnReader;
  encoder: Encoder;
  residency: Residency;
  limits: Limits;
  scale: EncoderScale;
  plan: RecallPlan;
}

/** Kept of a deadline for the search itself: without the dense arm it takes well under this. */
const SEARCH_RESERVE_MS = 2;

/** A query of punctuation alone asks nothing. */
const MEANINGFUL = /[\p{L}\p{N}\p{Extended_Pictographic}]/u;

/** How many of the turns before a query are read with it; older ones drown it. */
const CONTEXT_TURNS = 2;

interface Started {
  request: RecallRequest;
  begin: number;
}

/**
 * Finds the turns that bear on the query: one encoder pass, then one native call. Ties: score, then
 * newer turn, then arrival. Past `deadlineMs` the encoder is not waited for and the lexical arm answers.
 */
export async function recall(parts: RecallParts, request: RecallRequest): Promise<Recall> {
  const [answer] = await recallMany(parts, [request]);
  if (answer === undefined)
    throw new OntomemError('NATIVE_FAILED', { input: 'recall', problem: 'gave no answer' });
  return answer;
}

/** Answers many queries; their texts go through the encoder together. */
export async function recallMany(parts: RecallParts, requests: readonly RecallRequest[]): Promise<Recall[]> {
  const begin = performance.now();
  const checked = check(z.array(z.unknown()), requests, 'requests').map((request, position) =>
    checkRequest(parts, request, requests.length === 1 ? 'recall' : `requests[${position}]`),
  );
  for (const { signal } of checked) stopIfAborted(signal);
  // A scope that is not in memory is loaded while the encoder works.
  const loading = checked.map((request) => parts.residency.load(request.scope, lateness(request, begin)));
  const [vectors] = await Promise.all([encodeQueries(parts, checked, begin), ...loading]);
  for (const { signal } of checked) stopIfAborted(signal);
  return Promise.all(
    checked.map((request, position) =>
      parts.residency.use(request.scope, lateness(request, begin), (resident) =>
        answer(parts, { request, begin }, vectors[position], resident),
      ),
    ),
  );
}

/** When to go on with the part of a scope that is in memory. */
function lateness({ deadlineMs }: RecallRequest, begin: number): () => boolean {
  if (deadlineMs === undefined) return () => false;
  return () => performance.now() - begin > deadlineMs - SEARCH_RESERVE_MS;
}

function checkRequest(parts: RecallParts, value: unknown, input: string): RecallRequest {
  const request = check(recallRequestSchema as z.ZodType<RecallRequest>, value, input);
  checkText(request.query, `${input}.query`, parts.limits.textBytes);
  for (const [position, text] of (request.context ?? []).entries()) {
    checkText(text, `${input}.context[${position}]`, parts.limits.textBytes);
  }
  return request;
}

/** One vector a request; undefined where its deadline came first. Requests that ask nothing have none. */
async function encodeQueries(
  parts: RecallParts,
  requests: readonly RecallRequest[],
  begin: number,
): Promise<Array<Float32Array | undefined>> {
  const asked = requests.filter(({ query }) => MEANINGFUL.test(query));
  if (asked.length === 0) return requests.map(() => undefined);
  const { dimension } = parts.encoder.identity;
  const encoding = parts.encoder.encode(asked.map(queryText), { role: 'query' });
  const vectors = await Promise.all(
    asked.map(async ({ deadlineMs }, position) => {
      const left =
        deadlineMs === undefined ? undefined : deadlineMs - SEARCH_RESERVE_MS - (performance.now() - begin);
      const encoded = await within(encoding, left);
      return encoded?.vectors.slice(position * dimension, (position + 1) * dimension);
    }),
  );
  return requests.map((request) => vectors[asked.indexOf(request)]);
}

/** The query behind the turns just before it, which say what 'and for Sunday?' is about. */
function queryText({ query, context = [] }: RecallRequest): string {
  return [...context.slice(-CONTEXT_TURNS), query].join(' ');
}

function answer(
  parts: RecallParts,
  { request, begin }: Started,
  vector: Float32Array | undefined,
  resident: Resident | undefined,
): Recall {
  const encoded = performance.now();
  const terms = queryTerms(queryText(request));
  const changes = filterOf(parts, request, resident);
  const mute = vector === undefined && (terms.length === 0 || !MEANINGFUL.test(request.query));
  const found =
    resident === undefined || changes === undefined || mute
      ? undefined
      : recallFromShard(resident.shard.handle, {
          strategy: vector === undefined ? { ...parts.plan.strategy, maps: -1 } : parts.plan.strategy,
          changes: { ...changes, ...calibratedFor(resident.shard.rows), ...timeLeft(request, begin) },
          ...(vector === undefined ? {} : { vectors: vector, vectorWeights: parts.plan.viewWeights }),
          ...(terms.length === 0 ? {} : { terms }),
        });
  const hits = found === undefined || bearsOnNothing(parts.scale, found, vector) ? [] : found.hits;
  const evidence =
    resident === undefined ? [] : hits.flatMap((hit) => toEvidence(parts, resident, hit, request));
  const late: LatePart[] = [];
  if (vector === undefined && MEANINGFUL.test(request.query)) late.push('encoding');
  if (resident?.complete === false) late.push('loading');
  if (found?.stat('partial') === 1) late.push('search');
  const done = performance.now();
  return {
    recallId: ulid(),
    evidence,
    abstained: evidence.length === 0,
    partial: late.length > 0,
    late,
    route: { lead: 'dense-first', arms: ['dense', 'lexical', 'structure'] },
    timings: { encodeMs: encoded - begin, searchMs: done - encoded, totalMs: done - begin },
    cost: { candidates: found?.stat('visible') ?? 0 },
  };
}

/** No word of the query occurs, and what is nearest to it is no nearer than nonsense. */
function bearsOnNothing(
  scale: EncoderScale,
  { stat }: ShardAnswer,
  vector: Float32Array | undefined,
): boolean {
  if (stat('lexicalBest') > 0) return false;
  return vector === undefined || scale.isNonsense(vector, stat('denseBest'));
}

/** The filter as parameters; undefined when it names a session or speaker that the scope does not know. */
function filterOf(
  parts: RecallParts,
  { filter = {}, asOf, limit }: RecallRequest,
  resident: Resident | undefined,
): Partial<Record<RecallParameter, number>> | undefined {
  const scopeId = resident?.scopeId ?? -1;
  const changes: Partial<Record<RecallParameter, number>> = {};
  if (limit !== undefined) Object.assign(changes, { limit, candidates: candidatesFor(limit) });
  if (asOf !== undefined) changes.asOfMs = checkMoment(asOf, 'recall.asOf');
  if (filter.from !== undefined) changes.fromMs = checkMoment(filter.from, 'recall.filter.from');
  if (filter.to !== undefined) changes.toMs = checkMoment(filter.to, 'recall.filter.to');
  if (filter.session !== undefined) {
    const session = parts.log.sessionOrdinal(scopeId, filter.session);
    if (session === undefined) return undefined;
    changes.session = session;
  }
  if (filter.speaker !== undefined) {
    const speaker = parts.log.speakerOrdinal(scopeId, filter.speaker);
    if (speaker === undefined) return undefined;
    changes.speaker = speaker;
  }
  return changes;
}

/** Enough for the limit and for every arm's best beside it. */
function candidatesFor(limit: number): number {
  return Math.max(DENSE_FIRST.candidates, 2 * limit);
}

function timeLeft({ deadlineMs }: RecallRequest, begin: number): Partial<Record<RecallParameter, number>> {
  if (deadlineMs === undefined) return {};
  return { deadlineUs: Math.max(SEARCH_RESERVE_MS, deadlineMs - (performance.now() - begin)) * 1000 };
}

function toEvidence(parts: RecallParts, resident: Resident, hit: Hit, request: RecallRequest): Evidence[] {
  const turn: Turn | undefined = parts.log.turn(resident.scopeId, hit.row);
  if (turn === undefined) return [];
  const { dense, lexical, structure } = hit.parts;
  return [
    {
      turnId: turn.id,
      session: turn.session,
      speaker: turn.speaker,
      text: turn.text,
      ...(turn.caption === undefined ? {} : { caption: turn.caption }),
      at: turn.at,
      score: hit.score,
      ...(request.explain
        ? { explanation: { dense, lexical, structure, fused: dense + lexical + structure } }
        : {}),
    },
  ];
}

function stopIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new OntomemError('ABORTED', { input: 'recall.signal', problem: 'was aborted' });
}
