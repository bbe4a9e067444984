// A conversation's token states in the native core: the nearest token of a passage to each of a query's.

import { search } from '../../../src/native/recall.js';
import { appendRows, closeShard, openShard } from '../../../src/native/shard.js';
import type { ShardHandle } from '../../../src/native/types.js';
import { restored, type TokenStates } from '../token-states.js';

let opened = 0;

/** One small shard a passage, filled when it is first compared. */
export class TokenIndex {
  readonly #states: readonly TokenStates[];
  readonly #dimension: number;
  readonly #shards = new Map<number, ShardHandle>();

  /** States of each passage, by its place. */
  constructor(states: readonly TokenStates[], dimension: number) {
    this.#states = states;
    this.#dimension = dimension;
  }

  /** Tokens of a passage. */
  tokens(passage: number): number {
    return this.#states[passage]?.scales.length ?? 0;
  }

  /**
   * Sum over the query's tokens of the best cosine with any token of the passage, over the number of query tokens
   * (MaxSim: Khattab and Zaharia, 'ColBERT', SIGIR 2020): a search of the query's tokens for one hit each. A text
   * without tokens gets 0. O(query tokens x passage tokens x dimension).
   */
  maxSim(query: Float32Array, passage: number): number {
    const tokens = query.length / this.#dimension;
    if (tokens === 0 || this.tokens(passage) === 0) return 0;
    const scores = new Float32Array(tokens);
    const rows = new Uint32Array(tokens);
    search(this.#shard(passage), query, 1, { rows, scores, counts: new Uint32Array(tokens) });
    return scores.reduce((sum, best) => sum + best, 0) / tokens;
  }

  close(): void {
    for (const handle of this.#shards.values()) closeShard(handle);
    this.#shards.clear();
  }

  #shard(passage: number): ShardHandle {
    const known = this.#shards.get(passage);
    if (known !== undefined) return known;
    const count = this.tokens(passage);
    const none = () => new Uint32Array(count);
    const handle = openShard('token states', Buffer.from(String(opened++)), this.#dimension, 'f32');
    appendRows(handle, {
      count,
      vectors: restored(this.#states[passage] ?? { values: new Int8Array(), scales: new Float32Array() }),
      atMs: new Float64Array(count),
      session: none(),
      speaker: none(),
      flags: none(),
      termOffsets: new Uint32Array(count + 1),
      terms: new Uint32Array(),
      termCounts: new Uint16Array(),
      lengths: none(),
    });
    this.#shards.set(passage, handle);
    return handle;
  }
}
