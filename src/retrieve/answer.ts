// One query answered: searched in its scope's shard, then read from the store.
import { ulid } from 'ulidx';
import type { LatePart, Recall } from '../contract/recall.js';
import type { RecallParameter } from '../native/layout.js';
import type { Resident } from '../store/residency.js';
import { SEARCH_RESERVE_MS } from './deadline.js';
import type { EncoderScale } from './encoder-scale.js';
import { evidenceOf } from './evidence.js';
import { filterOf } from './filter.js';
import type { RecallParts } from './parts.js';
import type { Query } from './query.js';
import type { Asked } from './request.js';
import { recallFromShard, type ShardAnswer } from './shard-recall.js';
import { DENSE_FIRST } from './strategy.js';

/** What a query is searched with. */
interface Searching {
  /** When the call came in. */
  begin: number;
  /** Undefined when the encoder was late. */
  vector: Float32Array | undefined;
  resident: Resident;
}

/** What a search found, and what there was no time for. */
export interface Found {
  scopeId: number;
  complete: boolean;
  /** The query's vector, where it was searched by. */
  vector: Float32Array | undefined;
  /** Undefined when there was nothing to search with, or the filter names what the scope does not know. */
  answer: ShardAnswer | undefined;
}

/** What an answer is made of. */
interface AtHand {
  /** When the call came in, and when its search began. */
  begin: number;
  started: number;
  vector: Float32Array | undefined;
  encodeMs: number;
  /** Undefined when nothing of the scope is stored. */
  found: Found | undefined;
}

/**
 * Searches the shard in one native call: without a vector by words alone, and so too when comparing every turn
 * would take longer than the deadline leaves.
 */
export function search(parts: RecallParts, query: Query, { begin, vector, resident }: Searching): Found {
  const { scopeId, complete, shard } = resident;
  const { asked, terms, isMeaningful } = query;
  const filter = filterOf(parts.log, scopeId, asked);
  const roomMs = Math.max(SEARCH_RESERVE_MS, timeLeft(asked, begin));
  const turns = shard.rows;
  const searched = parts.pace.allowsDense(turns, roomMs) ? vector : undefined;
  const mute = searched === undefined && (terms.length === 0 || !isMeaningful);
  if (filter === undefined || mute) return { scopeId, complete, vector: searched, answer: undefined };
  // Words alone are all there is then: they are looked up however late it is.
  const deadlineUs = searched === undefined ? Number.POSITIVE_INFINITY : roomMs * 1000;
  const answer = recallFromShard(shard.handle, {
    strategy: searched === undefined ? { ...parts.plan.strategy, maps: -1 } : parts.plan.strategy,
    changes: { ...filter, ...sizeOf(asked), deadlineUs },
    ...(searched === undefined ? {} : { vectors: searched, vectorWeights: parts.plan.viewWeights }),
    ...(terms.length === 0 ? {} : { terms }),
  });
  if (searched !== undefined) parts.pace.learn(turns, answer.stat('denseUs'));
  return { scopeId, complete, vector: searched, answer };
}

/** Reads the turns of what was found and says what was late. Long answers are read in slices. */
export async function answer(
  parts: RecallParts,
  query: Query,
  { begin, started, vector, encodeMs, found }: AtHand,
): Promise<Recall> {
  const { asked } = query;
  const shown = found?.answer;
  const hits = shown === undefined || bearsOnNothing(parts.scale, shown, found?.vector) ? [] : shown.hits;
  const evidence = found === undefined ? [] : await evidenceOf(parts.log, found.scopeId, hits, asked.explain);
  const late: LatePart[] = [];
  if (vector === undefined && query.isMeaningful) late.push('encoding');
  if (found?.complete === false) late.push('loading');
  const withoutDense = found !== undefined && vector !== undefined && found.vector === undefined;
  if (withoutDense || shown?.stat('partial') === 1) late.push('search');
  const done = performance.now();
  // Whatever held it up: an answer that stood only after the deadline is not in time.
  if (late.length === 0 && asked.deadlineMs !== undefined && done - begin > asked.deadlineMs)
    late.push('search');
  return {
    recallId: ulid(),
    evidence,
    abstained: evidence.length === 0,
    partial: late.length > 0,
    late,
    route: { lead: 'dense-first', arms: armsOf(query, found?.vector, shown) },
    timings: { encodeMs, searchMs: done - started, totalMs: done - begin },
    cost: { scored: shown?.stat('visible') ?? 0, candidates: shown?.stat('candidates') ?? 0 },
  };
}

function armsOf(
  { terms }: Query,
  vector: Float32Array | undefined,
  found: ShardAnswer | undefined,
): Recall['route']['arms'] {
  if (found === undefined) return [];
  return [
    ...(vector === undefined ? [] : (['dense'] as const)),
    ...(terms.length === 0 || found.stat('termsKnown') === 0 ? [] : (['lexical'] as const)),
    'structure',
  ];
}

/** No word of the query occurs in what may be returned, and the nearest of it is no nearer than nonsense. */
function bearsOnNothing(
  scale: EncoderScale,
  { stat }: ShardAnswer,
  vector: Float32Array | undefined,
): boolean {
  if (stat('wantedLexicalBest') > 0) return false;
  return vector === undefined || scale.isNonsense(vector, stat('wantedDenseBest'));
}

/** The limit, and candidates enough for it and for every arm's best beside it. */
function sizeOf({ limit }: Asked): Partial<Record<RecallParameter, number>> {
  return { limit, candidates: Math.max(DENSE_FIRST.candidates, 2 * limit) };
}

/** Milliseconds until the deadline; endless without one. */
function timeLeft({ deadlineMs = Number.POSITIVE_INFINITY }: Asked, begin: number): number {
  return deadlineMs - (performance.now() - begin);
}
