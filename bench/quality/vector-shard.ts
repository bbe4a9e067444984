// Vectors alone in the native core, for methods that compare many of them: no turns, no words.
import { search } from '../../src/native/recall.js';
import { closeShard } from '../../src/native/shard.js';
import type { ShardHandle } from '../../src/native/types.js';
import { bareShard } from './bare-shard.js';

/** Most hits a search gives. */
const MOST_HITS = 1024;
/** Hits asked for first; seldom are more near. */
const FIRST_HITS = 16;
/** Queries of one search, so that their hits stay small. */
const QUERIES = 256;

/** Rows of unit length. Whoever opens one closes it. */
export class VectorShard {
  readonly #handle: ShardHandle;
  readonly #rows: number;
  readonly #dimension: number;

  constructor(vectors: Float32Array, dimension: number) {
    const count = vectors.length / dimension;
    const none = () => new Uint32Array(count);
    this.#rows = count;
    this.#dimension = dimension;
    this.#handle = bareShard(dimension, {
      count,
      vectors,
      atMs: new Float64Array(count),
      session: none(),
      speaker: none(),
      flags: none(),
      termOffsets: new Uint32Array(count + 1),
      terms: new Uint32Array(),
      termCounts: new Uint16Array(),
      lengths: none(),
    });
  }

  /** The best inner product of each query with any row. O(queries x rows x dimension). */
  best(queries: Float32Array): Float32Array {
    return this.#search(queries, 1).scores;
  }

  /**
   * For each query its rows with an inner product of `least` or more and the product, best first; the best 1,024 of
   * more. O(queries x rows x dimension).
   */
  near(queries: Float32Array, least: number): Array<Array<[row: number, product: number]>> {
    const found: Array<Array<[number, number]>> = [];
    for (let first = 0; first < queries.length; first += QUERIES * this.#dimension) {
      found.push(
        ...this.#nearFew(queries.subarray(first, first + QUERIES * this.#dimension), least, FIRST_HITS),
      );
    }
    return found;
  }

  close(): void {
    closeShard(this.#handle);
  }

  #nearFew(queries: Float32Array, least: number, asked: number): Array<Array<[number, number]>> {
    const most = Math.min(asked, this.#rows, MOST_HITS);
    const { rows, scores } = this.#search(queries, most);
    const found = Array.from({ length: queries.length / this.#dimension }, (_, query) => {
      const hits: Array<[number, number]> = [];
      for (let hit = query * most; hit < (query + 1) * most && (scores[hit] ?? 0) >= least; hit++)
        hits.push([rows[hit] ?? 0, scores[hit] ?? 0]);
      return hits;
    });
    const cutOff = most < Math.min(this.#rows, MOST_HITS) && found.some(({ length }) => length === most);
    return cutOff ? this.#nearFew(queries, least, 4 * most) : found;
  }

  #search(queries: Float32Array, hits: number): { rows: Uint32Array; scores: Float32Array } {
    const count = queries.length / this.#dimension;
    const rows = new Uint32Array(count * hits);
    const scores = new Float32Array(count * hits);
    search(this.#handle, queries, hits, { rows, scores, counts: new Uint32Array(count) });
    return { rows, scores };
  }
}
