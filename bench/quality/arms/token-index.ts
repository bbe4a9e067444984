// A conversation's token states in the native core: how near a passage's tokens come to each of a query's.
import { restored, type TokenStates } from '../token-states.js';
import { VectorShard } from '../vector-shard.js';

/** One small shard a passage, filled when it is first compared. */
export class TokenIndex {
  readonly #states: readonly TokenStates[];
  readonly #dimension: number;
  readonly #shards = new Map<TokenStates, VectorShard>();

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
   * (MaxSim: Khattab and Zaharia, 'ColBERT', SIGIR 2020). A text without tokens gets 0. O(query tokens x passage
   * tokens x dimension).
   */
  maxSim(query: Float32Array, passage: number): number {
    const states = this.#states[passage];
    if (query.length === 0 || states === undefined || states.scales.length === 0) return 0;
    const best = this.#shard(states).best(query);
    return best.reduce((sum, cosine) => sum + cosine, 0) / best.length;
  }

  close(): void {
    for (const shard of this.#shards.values()) shard.close();
    this.#shards.clear();
  }

  #shard(states: TokenStates): VectorShard {
    const shard = this.#shards.get(states) ?? new VectorShard(restored(states), this.#dimension);
    this.#shards.set(states, shard);
    return shard;
  }
}
