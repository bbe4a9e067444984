// Token states of many texts, kept in memory as int8: what a late-interaction index would hold.
import type { Encoder, TextRole } from '../../../src/contract/encoder.js';
import { OntomemError } from '../../../src/errors.js';

/** The states of one text's tokens: tokens x dimension whole numbers, each token with its scale; unit norm. */
export interface TokenStates {
  values: Int8Array;
  scales: Float32Array;
}

/** [CLS] in front and [SEP] at the end say nothing of their own. */
const SPECIAL_EACH_SIDE = 1;
const LARGEST = 127;
/** Texts of one encoder call, so that float states of few texts are alive at a time. */
const BATCH = 64;

/** Encodes each distinct text once a process: conversations of one data set share their material. */
export class TokenStateStore {
  readonly #known = new Map<string, TokenStates>();

  readonly #encoder: Encoder;

  constructor(encoder: Encoder) {
    this.#encoder = encoder;
  }

  /** Bytes of all states held. */
  get bytes(): number {
    let bytes = 0;
    for (const { values, scales } of this.#known.values()) bytes += values.byteLength + scales.byteLength;
    return bytes;
  }

  async passages(texts: readonly string[]): Promise<TokenStates[]> {
    const missing = [...new Set(texts)].filter((text) => !this.#known.has(text));
    for (let first = 0; first < missing.length; first += BATCH) {
      const batch = missing.slice(first, first + BATCH);
      const states = await encodeStates(this.#encoder, batch, 'passage');
      for (const [i, state] of states.entries())
        this.#known.set(batch[i] ?? '', quantise(state, this.#dimension));
    }
    return texts.flatMap((text) => this.#known.get(text) ?? []);
  }

  /** Unit states of a query's tokens, in float32. */
  async query(text: string): Promise<Float32Array> {
    const [states = new Float32Array()] = await encodeStates(this.#encoder, [text], 'query');
    for (let start = 0; start < states.length; start += this.#dimension)
      normalise(states.subarray(start, start + this.#dimension));
    return states;
  }

  get #dimension(): number {
    return this.#encoder.identity.dimension;
  }
}

/**
 * Sum over the query's tokens of the best cosine with any token of the passage, over the number of query tokens
 * (MaxSim, Khattab and Zaharia, 'ColBERT', SIGIR 2020). O(query tokens x passage tokens x dimension).
 */
export function maxSim(query: Float32Array, { values, scales }: TokenStates, dimension: number): number {
  let total = 0;
  for (let start = 0; start < query.length; start += dimension) {
    let best = scales.length === 0 ? 0 : -1;
    for (let token = 0; token < scales.length; token++) {
      let product = 0;
      const from = token * dimension;
      for (let i = 0; i < dimension; i++) product += (query[start + i] ?? 0) * (values[from + i] ?? 0);
      best = Math.max(best, product * (scales[token] ?? 0));
    }
    total += best;
  }
  return query.length === 0 ? 0 : (total * dimension) / query.length;
}

export function quantise(states: Float32Array, dimension: number): TokenStates {
  const values = new Int8Array(states.length);
  const scales = new Float32Array(states.length / dimension);
  for (let token = 0; token < scales.length; token++) {
    const row = normalise(states.subarray(token * dimension, (token + 1) * dimension));
    const largest = row.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
    for (const [i, value] of row.entries())
      values[token * dimension + i] = Math.round((value / largest) * LARGEST);
    scales[token] = largest / LARGEST;
  }
  return { values, scales };
}

/** @throws ENCODER_INVALID when the encoder gives no token states. */
async function encodeStates(
  encoder: Encoder,
  texts: readonly string[],
  role: TextRole,
): Promise<Float32Array[]> {
  const { tokenStates } = await encoder.encode(texts, { role, tokenStates: true });
  if (tokenStates === undefined)
    throw new OntomemError('ENCODER_INVALID', {
      input: encoder.identity.name,
      problem: 'gives no token states',
    });
  const edge = SPECIAL_EACH_SIDE * encoder.identity.dimension;
  return tokenStates.map((states) => states.slice(edge, Math.max(edge, states.length - edge)));
}

/** In place. */
function normalise(row: Float32Array): Float32Array {
  let squared = 0;
  for (const value of row) squared += value * value;
  const norm = Math.sqrt(squared) || 1;
  for (const [i, value] of row.entries()) row[i] = value / norm;
  return row;
}
