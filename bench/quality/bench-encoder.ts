// Opens the encoder a benchmark's options name, with its caches on disk.
import type { Invocation } from '../../src/cli/command.js';
import type { EncodeOptions, Encoder, EncoderIdentity, Encoding } from '../../src/contract/encoder.js';
import { openEncoder } from '../../src/encode/open-encoder.js';
import type { ArmServices } from './arm.js';
import { CACHE_FOLDER } from './cache-file.js';
import { Engine } from './engine.js';
import { StateCache } from './state-cache.js';
import { encodeStates } from './token-states.js';
import { VectorCache } from './vector-cache.js';

/** An encoder with what it encoded before, and ontomem reading through that. */
export class BenchEncoder {
  readonly encoder: Encoder;
  readonly cache: VectorCache;
  readonly engine: Engine;
  readonly #folder: string;
  #states: Promise<StateCache> | undefined;

  private constructor(encoder: Encoder, cache: VectorCache, folder: string) {
    this.encoder = encoder;
    this.cache = cache;
    this.#folder = folder;
    this.engine = new Engine(new QueryTimeEncoder(this));
  }

  static async open(encoder: Encoder, folder = CACHE_FOLDER): Promise<BenchEncoder> {
    return new BenchEncoder(encoder, await VectorCache.open(encoder, folder), folder);
  }

  /** Opened by who asks first: not every encoder gives token states, and few arms want them. */
  states(): Promise<StateCache> {
    this.#states ??= StateCache.open(this.encoder, this.#folder);
    return this.#states;
  }

  /** The encoder is its opener's. */
  async close(): Promise<void> {
    await this.engine.close();
    await this.cache.close();
    // Who asked was told why there are none.
    await this.#states?.then(
      (states) => states.close(),
      () => undefined,
    );
  }
}

/** Opens an encoder with its caches, runs `work`, closes all whatever happened. */
export async function withEncoder<T>(
  nameOrFolder: string | undefined,
  work: (opened: BenchEncoder) => Promise<T>,
): Promise<T> {
  const encoder = await openEncoder(nameOrFolder);
  try {
    const opened = await BenchEncoder.open(encoder);
    try {
      return await work(opened);
    } finally {
      await opened.close();
    }
  } finally {
    await encoder.close();
  }
}

export function encoderOption(invocation: Invocation): string | undefined {
  return invocation.text('encoder') ?? process.env.ONTOMEM_ENCODER;
}

/** What arms are prepared with, and the switch by which a query's own encodings are timed. */
export interface BenchServices extends ArmServices {
  encoder: QueryTimeEncoder;
}

export function servicesOf(opened: BenchEncoder): BenchServices {
  const encoder = new QueryTimeEncoder(opened);
  return {
    encoder,
    engine: opened.engine,
    encodeCached: (texts, role) => opened.cache.encode(texts, role),
    passageStates: async (texts) => (await opened.states()).passages(texts),
    queryStates: async (text) => {
      const encoded = encoder.timed
        ? encodeStates(opened.encoder, [text], 'query')
        : (await opened.states()).queries([text]);
      return (await encoded)[0] ?? new Float32Array();
    },
  };
}

/** The encoder as methods call it at query time: anew where the query is timed, from the cache otherwise. */
export class QueryTimeEncoder implements Encoder {
  readonly identity: EncoderIdentity;
  timed = false;
  readonly #opened: BenchEncoder;

  constructor(opened: BenchEncoder) {
    this.identity = opened.encoder.identity;
    this.#opened = opened;
  }

  async encode(texts: readonly string[], options: EncodeOptions): Promise<Encoding> {
    if (this.timed || options.tokenStates === true) return this.#opened.encoder.encode(texts, options);
    return { vectors: await this.#opened.cache.encode(texts, options.role) };
  }

  /** Without it, one a byte: what an encoder without it is taken to read. */
  countTokens(text: string): number {
    return this.#opened.encoder.countTokens?.(text) ?? Buffer.byteLength(text);
  }

  /** Who opened the encoder closes it. */
  async close(): Promise<void> {}
}
