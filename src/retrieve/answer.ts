// One request answered from its scope's shard.
import { ulid } from 'ulidx';
import type { LatePart, Recall } from '../contract/recall.js';
import type { RecallParameter } from '../native/layout.js';
import type { Resident } from '../store/residency.js';
import { queryTerms } from '../text/query-terms.js';
import { SEARCH_RESERVE_MS } from './deadline.js';
import type { EncoderScale } from './encoder-scale.js';
import { evidenceOf } from './evidence.js';
import { filterOf } from './filter.js';
import type { RecallParts } from './parts.js';
import { isMeaningful, queryText } from './query-text.js';
import type { Asked } from './request.js';
import { recallFromShard, type ShardAnswer } from './shard-recall.js';
import { calibratedFor, DENSE_FIRST } from './strategy.js';

/** What is at hand when a request is answered. */
interface AtHand {
  /** When the call came in. */
  begin: number;
  /** Absent when the encoder was late. */
  vector: Float32Array | undefined;
  /** Absent when nothing of the scope is stored. */
  resident: Resident | undefined;
}

/** Answers from the shard; without a vector by the lexical arm alone. */
export function answer(parts: RecallParts, request: Asked, { begin, vector, resident }: AtHand): Recall {
  const encoded = performance.now();
  const terms = queryTerms(queryText(request));
  const filter = resident && filterOf(parts.log, resident.scopeId, request);
  const mute = vector === undefined && (terms.length === 0 || !isMeaningful(request));
  const found =
    resident === undefined || filter === undefined || mute
      ? undefined
      : recallFromShard(resident.shard.handle, {
          strategy: vector === undefined ? { ...parts.plan.strategy, maps: -1 } : parts.plan.strategy,
          changes: {
            ...filter,
            ...sizeOf(request),
            ...calibratedFor(resident.shard.rows),
            ...timeLeft(request, begin),
          },
          ...(vector === undefined ? {} : { vectors: vector, vectorWeights: parts.plan.viewWeights }),
          ...(terms.length === 0 ? {} : { terms }),
        });
  const hits = found === undefined || bearsOnNothing(parts.scale, found, vector) ? [] : found.hits;
  const evidence = resident === undefined ? [] : evidenceOf(parts.log, resident, hits, request.explain);
  const late: LatePart[] = [];
  if (vector === undefined && isMeaningful(request)) late.push('encoding');
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

/** The limit, and candidates enough for it and for every arm's best beside it. */
function sizeOf({ limit }: Asked): Partial<Record<RecallParameter, number>> {
  return { limit, candidates: Math.max(DENSE_FIRST.candidates, 2 * limit) };
}

function timeLeft({ deadlineMs }: Asked, begin: number): Partial<Record<RecallParameter, number>> {
  if (deadlineMs === undefined) return {};
  return { deadlineUs: Math.max(SEARCH_RESERVE_MS, deadlineMs - (performance.now() - begin)) * 1000 };
}
