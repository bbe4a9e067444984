// Opens the encoder a benchmark's options name, with its cache of vectors on disk.
import type { Invocation } from '../../src/cli/command.js';
import type { Encoder } from '../../src/contract/encoder.js';
import { openEncoder } from '../../src/encode/open-encoder.js';
import type { ArmServices } from './arm.js';
import { VectorCache } from './vector-cache.js';

export interface BenchEncoder {
  encoder: Encoder;
  cache: VectorCache;
}

/** Opens both, runs `work`, closes them whatever happened. */
export async function withEncoder<T>(
  nameOrFolder: string | undefined,
  work: (opened: BenchEncoder) => Promise<T>,
): Promise<T> {
  const encoder = await openEncoder(nameOrFolder);
  try {
    const cache = await VectorCache.open(encoder);
    try {
      return await work({ encoder, cache });
    } finally {
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
export function servicesOf({ encoder, cache }: BenchEncoder): ArmServices {
  return { encoder, encodeCached: (texts, role) => cache.encode(texts, role) };
}

/** The same where nobody looks at the clock: texts of query time come from the cache too, token states do not. */
export function cachedServices({ encoder, cache }: BenchEncoder): ArmServices {
  const cached: Encoder = {
    identity: encoder.identity,
    encode: async (texts, options) =>
      options.tokenStates === true
        ? encoder.encode(texts, options)
        : { vectors: await cache.encode(texts, options.role) },
    close: async () => undefined,
  };
  return { encoder: cached, encodeCached: (texts, role) => cache.encode(texts, role) };
}
