// One query answered from its scope's shard.
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
import type { EncodedQuery } from './query-vectors.js';
import type { Asked } from './request.js';
import { recallFromShard, type ShardAnswer } from './shard-recall.js';
import { DENSE_FIRST } from './strategy.js';

/** What is at hand when a query is answered. */
interface AtHand {
  /** When the call came in. */
  begin: number;
  /** Without a vector when the encoder was late. */
  encoded: EncodedQuery;
  /** Absent when nothing of the scope is stored. */
  resident: Resident | undefined;
}

/** Answers from the shard; without a vector by the lexical arm alone. */
export function answer(parts: RecallParts, query: Query, { begin, encoded, resident }: AtHand): Recall {
  const started = performance.now();
  const { asked } = query;
  const { vector, encodeMs } = encoded;
  const found = resident && search(parts, resident, query, vector, begin);
  const hits = found === undefined || bearsOnNothing(parts.scale, found, vector) ? [] : found.hits;
  const evidence = resident === undefined ? [] : evidenceOf(parts.log, resident, hits, asked.explain);
  const late: LatePart[] = [];
  if (vector === undefined && query.isMeaningful) late.push('encoding');
  if (resident?.complete === false) late.push('loading');
  if (found?.stat('partial') === 1) late.push('search');
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
    route: { lead: 'dense-first', arms: armsOf(query, vector, found) },
    timings: { encodeMs, searchMs: done - started, totalMs: done - begin },
    cost: { scored: found?.stat('visible') ?? 0, candidates: found?.stat('candidates') ?? 0 },
  };
}

/** Undefined when there is nothing to search with, or the filter names what the scope does not know. */
function search(
  parts: RecallParts,
  resident: Resident,
  { asked, terms, isMeaningful }: Query,
  vector: Float32Array | undefined,
  begin: number,
): ShardAnswer | undefined {
  const filter = filterOf(parts.log, resident.scopeId, asked);
  const mute = vector === undefined && (terms.length === 0 || !isMeaningful);
  if (filter === undefined || mute) return undefined;
  return recallFromShard(resident.shard.handle, {
    strategy: vector === undefined ? { ...parts.plan.strategy, maps: -1 } : parts.plan.strategy,
    changes: { ...filter, ...sizeOf(asked), ...timeLeft(asked, begin) },
    ...(vector === undefined ? {} : { vectors: vector, vectorWeights: parts.plan.viewWeights }),
    ...(terms.length === 0 ? {} : { terms }),
  });
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

function timeLeft({ deadlineMs }: Asked, begin: number): Partial<Record<RecallParameter, number>> {
  if (deadlineMs === undefined) return {};
  return { deadlineUs: Math.max(SEARCH_RESERVE_MS, deadlineMs - (performance.now() - begin)) * 1000 };
}
