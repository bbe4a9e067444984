// One recall on one shard: parameters and arrays in, ranked rows with their parts out.

import {
  RECALL_STATS,
  type RecallParameter,
  type RecallStat,
  SCORE_PARTS,
  type ScorePart,
} from '../native/layout.js';
import { packRecallParameters, recall } from '../native/recall.js';
import type { ShardHandle } from '../native/types.js';
import type { TermVector } from '../text/terms.js';
import type { Strategy } from './strategy.js';

/** What a query asks of a shard. */
export interface ShardQuery {
  strategy: Strategy;
  /** Replaces values of the strategy for this query. */
  changes?: Partial<Record<RecallParameter, number>>;
  /** Unit vectors, one to four, concatenated; absent when the encoder did not answer in time. */
  vectors?: Float32Array;
  /** One weight a vector. */
  vectorWeights?: Float32Array;
  terms?: TermVector;
}

/** One ranked row, by the store's number. */
export interface Hit {
  row: number;
  score: number;
  parts: Readonly<Record<ScorePart, number>>;
}

export interface ShardAnswer {
  hits: Hit[];
  stat(name: RecallStat): number;
}

const statIndex = new Map(RECALL_STATS.map((name, position) => [name, position]));

/** Runs the native recall; returns at most `limit` hits, best first. */
export function recallFromShard(handle: ShardHandle, query: ShardQuery): ShardAnswer {
  const { strategy, changes = {}, vectors, vectorWeights, terms } = query;
  const parameters = packRecallParameters({ ...strategy, ...changes });
  const limit = changes.limit ?? strategy.limit;
  const rows = new Uint32Array(limit);
  const scores = new Float32Array(limit);
  const parts = new Float32Array(limit * SCORE_PARTS.length);
  const stats = new Float64Array(RECALL_STATS.length);
  const count = recall(
    handle,
    { parameters, queries: vectors, viewWeights: vectorWeights, terms: terms?.hashes },
    { rows, scores, parts, stats },
  );
  return {
    hits: Array.from({ length: count }, (_, place) => ({
      row: rows[place] ?? 0,
      score: scores[place] ?? 0,
      parts: partsAt(parts, place),
    })),
    stat: (name) => stats[statIndex.get(name) ?? -1] ?? Number.NaN,
  };
}

function partsAt(parts: Float32Array, place: number): Record<ScorePart, number> {
  const at = place * SCORE_PARTS.length;
  return Object.fromEntries(SCORE_PARTS.map((name, position) => [name, parts[at + position] ?? 0])) as Record<
    ScorePart,
    number
  >;
}
