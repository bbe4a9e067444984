// Opens the encoder a benchmark's options name, with its cache of vectors on disk.
import type { Invocation } from '../../src/cli/command.js';
import type { Encoder } from '../../src/contract/encoder.js';
import { openEncoder } from '../../src/encode/open-encoder.js';
import type { ArmServices } from './arm.js';
import { Engine } from './engine.js';
import { VectorCache } from './vector-cache.js';

export interface BenchEncoder {
  encoder: Encoder;
  cache: VectorCache;
  engine: Engine;
}

/** What arms read with: an open encoder and cache, and ontomem reading through the cache. */
export function benchEncoder(encoder: Encoder, cache: VectorCache): BenchEncoder {
  return { encoder, cache, engine: new Engine(cachedEncoder(encoder, cache)) };
}

/** Opens both, runs `work`, closes them whatever happened. */
export async function withEncoder<T>(
  nameOrFolder: string | undefined,
  work: (opened: BenchEncoder) => Promise<T>,
): Promise<T> {
  const encoder = await openEncoder(nameOrFolder);
  try {
    const cache = await VectorCache.open(encoder);
    const opened = benchEncoder(encoder, cache);
    try {
      return await work(opened);
    } finally {
      await opened.engine.close();
      await cache.close();
    }
  } finally {
    await encoder.close();
  }
}

export function encoderOption(invocation: Invocation): string | undefined {
  return invocation.text('encoder') ?? process.env.ONTOMEM_ENCODER;
}

/** What arms are prepared with: the encoder itself, and the cache for what is encoded at ingest. */
export function servicesOf({ encoder, cache, engine }: BenchEncoder): ArmServices {
  return { encoder, engine, encodeCached: (texts, role) => cache.encode(texts, role) };
}

/** The same where nobody looks at the clock: texts of query time come from the cache too, token states do not. */
export function cachedServices(opened: BenchEncoder): ArmServices {
  return { ...servicesOf(opened), encoder: cachedEncoder(opened.encoder, opened.cache) };
}

function cachedEncoder(encoder: Encoder, cache: VectorCache): Encoder {
  return {
    identity: encoder.identity,
    encode: async (texts, options) =>
      options.tokenStates === true
        ? encoder.encode(texts, options)
        : { vectors: await cache.encode(texts, options.role) },
    // Without it, one a byte: what an encoder without it is taken to read.
    countTokens: (text) => encoder.countTokens?.(text) ?? Buffer.byteLength(text),
    close: async () => undefined,
  };
}
