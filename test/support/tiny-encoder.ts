// An encoder without a model: hashed words as unit vectors, so that texts with common words are close.
import type { EncodeOptions, Encoder, EncoderIdentity, Encoding } from '../../src/contract/encoder.js';

export interface TinyEncoderOptions {
  name?: string;
  dimension?: number;
  /** Encoders of different seeds give different vectors and have different identities. */
  seed?: number;
  /** Runs before each call answers: to wait, to fail, to look at the signal. */
  before?: (texts: readonly string[], options: EncodeOptions) => Promise<void> | void;
}

/** Deterministic and fast; counts what it is asked for. */
export class TinyEncoder implements Encoder {
  readonly identity: EncoderIdentity;
  /** The texts of each call, in order. */
  readonly calls: string[][] = [];
  closed = false;
  readonly #seed: number;
  readonly #before: TinyEncoderOptions['before'];

  constructor({ name = 'tiny', dimension = 32, seed = 1, before }: TinyEncoderOptions = {}) {
    this.identity = {
      name,
      sha256: seed.toString(16).padStart(64, '0'),
      dimension,
      pooling: 'mean',
      queryPrefix: '',
      passagePrefix: '',
      configSha256: '',
      maxTokens: 65_536,
      precision: 'f32',
    };
    this.#seed = seed;
    this.#before = before;
  }

  async encode(texts: readonly string[], options: EncodeOptions): Promise<Encoding> {
    this.calls.push([...texts]);
    await this.#before?.(texts, options);
    const { dimension } = this.identity;
    const vectors = new Float32Array(texts.length * dimension);
    for (const [position, text] of texts.entries()) vectors.set(this.vectorOf(text), position * dimension);
    return { vectors };
  }

  async close(): Promise<void> {
    this.closed = true;
  }

  vectorOf(text: string): Float32Array {
    const { dimension } = this.identity;
    const vector = new Float32Array(dimension);
    for (const word of text.toLowerCase().split(/[^\p{L}\p{N}]+/u)) {
      if (word === '') continue;
      const hash = hashOf(word, this.#seed);
      for (const shift of [0, 8, 16]) {
        const place = ((hash >>> shift) & 0xff) % dimension;
        vector[place] = (vector[place] ?? 0) + ((hash >>> (24 + shift / 8)) & 1 ? 1 : -1);
      }
    }
    const norm = Math.hypot(...vector);
    if (norm === 0) vector[0] = 1;
    return norm === 0 ? vector : vector.map((value) => value / norm);
  }
}

function hashOf(text: string, seed: number): number {
  let hash = 0x811c9dc5 ^ seed;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
