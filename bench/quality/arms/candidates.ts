// The turns of one conversation as every baseline sees them: who may be seen, two basic views, one order.
import type { PreparedConversation, PreparedQuery, Ranking, RankingCost } from '../arm.js';
import { Lexicon, type TermWeights, termCounts } from './lexicon.js';
import { innerProducts, standardised } from './scoring.js';

/** Ids in a ranking: enough for every metric. */
const DEPTH = 64;
const POSTING_BYTES = 6;

export class Candidates {
  readonly lexicon: Lexicon;
  readonly #all: readonly number[];

  constructor(readonly conversation: PreparedConversation) {
    this.lexicon = new Lexicon(conversation.terms);
    this.#all = conversation.turns.map((_, position) => position);
  }

  /** Positions of the turns said before the query is asked. O(turns). */
  visible({ at }: PreparedQuery): readonly number[] {
    if (at === undefined) return this.#all;
    return this.#all.filter((position) => this.#saidAt(position) <= at);
  }

  /** Cosine of every turn with a unit vector. */
  dense(vector: Float32Array): Float32Array {
    return innerProducts(this.conversation.vectors, vector);
  }

  lexical(terms: TermWeights): Float32Array {
    return this.lexicon.scores(terms);
  }

  /** Both views of a query, standardised over the turns it may see. */
  views(query: PreparedQuery): { dense: Float32Array; lexical: Float32Array; visible: readonly number[] } {
    const visible = this.visible(query);
    const dense = standardised(this.dense(query.vector), visible);
    const lexical = standardised(this.lexical(termCounts(query.terms)), visible);
    return { dense, lexical, visible };
  }

  /** Ids of the best of `positions`, best first; equals: newer first, then the later id. O(n log n). */
  ranked(scores: Float32Array, positions: readonly number[]): string[] {
    return this.ordered(scores, positions)
      .slice(0, DEPTH)
      .map((position) => this.#id(position));
  }

  /** As `ranked`, but all positions. */
  ordered(scores: Float32Array, positions: readonly number[]): number[] {
    return positions.toSorted(
      (a, b) =>
        (scores[b] ?? 0) - (scores[a] ?? 0) ||
        this.#saidAt(b) - this.#saidAt(a) ||
        (this.#id(a) < this.#id(b) ? 1 : -1),
    );
  }

  /** A ranking of the visible turns that compared every turn's vector with the query's. */
  ranking(scores: Float32Array, positions: readonly number[], cost: Partial<RankingCost> = {}): Ranking {
    return {
      ids: this.ranked(scores, positions),
      cost: { candidatesScored: this.conversation.turns.length, ...cost },
    };
  }

  /** `first` by score, then the rest of `ordered` as it stands. */
  reranked(
    scores: Float32Array,
    first: readonly number[],
    ordered: readonly number[],
    cost: Partial<RankingCost> = {},
  ): Ranking {
    const positions = [...this.ordered(scores, first), ...ordered.slice(first.length)];
    return {
      ids: positions.slice(0, DEPTH).map((position) => this.#id(position)),
      cost: { candidatesScored: this.conversation.turns.length, ...cost },
    };
  }

  /** A posting is a turn's number and a count. */
  get postingBytes(): number {
    return this.conversation.terms.reduce((sum, { counts }) => sum + POSTING_BYTES * counts.length, 0);
  }

  /** Vectors of the turns and postings of their terms. */
  get bothBytes(): number {
    return 4 * this.conversation.vectors.length + this.postingBytes;
  }

  #saidAt(position: number): number {
    return this.conversation.turns[position]?.at ?? 0;
  }

  #id(position: number): string {
    return this.conversation.turns[position]?.id ?? '';
  }
}
