// Opens the encoder a benchmark's options name, with its cache of vectors on disk.
import type { Invocation } from '../../src/cli/command.js';
import type { Encoder } from '../../src/contract/encoder.js';
import { openEncoder } from '../../src/encode/open-encoder.js';
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
