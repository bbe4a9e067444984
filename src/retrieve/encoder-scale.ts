// The scale of an encoder's cosines: what unrelated texts and plain nonsense reach.
import type { Encoder } from '../contract/encoder.js';
import { dot } from '../encode/run/dot.js';
import { TUNED_ABSTENTION } from './tuned.js';

/** Queries that mean nothing, in the shapes nonsense comes in. */
const NONSENSE = [
  'asdkjh qwelkj zxcmn',
  'blorf snarg wibble drenko',
  'qqqq wwww eeee rrrr',
  'fjdksl sldkfj ghvnm',
  '83719 20465 99 1172',
  'florp the grommet quazzle',
  'xq zv kk jw',
  'nnmm opop lklk uiui',
];

/** Turns as people say them. */
const ORDINARY = [
  'I finally fixed the bike, it only took me three weekends.',
  'My sister is coming over for dinner on Friday.',
  'Work was exhausting today, two people were off sick.',
  'That sounds lovely, how long are you staying?',
  'We watched the match at the neighbours place.',
  'I have been sleeping badly since we moved.',
  'The kids want a dog and I keep saying no.',
  'Could you remind me to call the bank tomorrow?',
];

interface Moments {
  mean: number;
  deviation: number;
}

/**
 * The scale of an encoder's cosines, measured once: encoders differ so much that no fixed number holds.
 * It gives small scopes a prior for their z-scores, and tells a query that bears on nothing from one that
 * merely shares no word with memory.
 */
export class EncoderScale {
  /** Cosines of ordinary queries and turns that have nothing to do with each other. */
  readonly unrelated: Moments;
  readonly #dimension: number;
  readonly #nonsense: Float32Array;

  private constructor(dimension: number, nonsense: Float32Array, unrelated: Moments) {
    this.#dimension = dimension;
    this.#nonsense = nonsense;
    this.unrelated = unrelated;
  }

  /** Two encoder calls over 24 short texts. */
  static async measure(encoder: Encoder): Promise<EncoderScale> {
    const { dimension } = encoder.identity;
    const { vectors: queries } = await encoder.encode([...NONSENSE, ...ORDINARY], { role: 'query' });
    const { vectors: turns } = await encoder.encode(ORDINARY, { role: 'passage' });
    const nonsense = queries.slice(0, NONSENSE.length * dimension);
    const ordinary = queries.subarray(nonsense.length);
    const apart = cosines(ordinary, turns, dimension).filter(
      (_, place) => place % (ORDINARY.length + 1) !== 0,
    );
    return new EncoderScale(dimension, nonsense, moments(apart));
  }

  /** The highest cosine of a query with what means nothing. O(dimension). */
  nearestNonsense(query: Float32Array): number {
    return Math.max(...cosines(this.#nonsense, query, this.#dimension));
  }

  /** True when the query is closer to nonsense than to its nearest turn, whose cosine is `best`. */
  isNonsense(query: Float32Array, best: number): boolean {
    return this.nearestNonsense(query) > best + TUNED_ABSTENTION.nonsenseMargin;
  }
}

/** All pairs of rows of `a` and `b`, row of `a` first. */
function cosines(a: Float32Array, b: Float32Array, dimension: number): number[] {
  const rows = (vectors: Float32Array) =>
    Array.from({ length: vectors.length / dimension }, (_, place) =>
      vectors.subarray(place * dimension, (place + 1) * dimension),
    );
  return rows(a).flatMap((left) => rows(b).map((right) => dot(left, right)));
}

function moments(values: readonly number[]): Moments {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  return { mean, deviation: Math.sqrt(variance) };
}
