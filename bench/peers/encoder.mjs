// One encoder for all peers: ontomem's, through the cache on disk, with its own time kept apart.

import { VectorCache } from '../../dist/bench/quality/vector-cache.js';
import { openEncoder } from '../../dist/src/index.js';

/** Texts encoded without the cache to learn what an encoding takes. */
const TIMED = 48;

export async function openSharedEncoder(nameOrFolder) {
  const encoder = await openEncoder(nameOrFolder);
  const cache = await VectorCache.open(encoder);
  return new SharedEncoder(encoder, cache);
}

/** Serves ontomem as an Encoder, the others as LangChain embeddings; whoever drives it sets the role. */
class SharedEncoder {
  role = 'passage';

  constructor(encoder, cache) {
    this.encoder = encoder;
    this.cache = cache;
    this.identity = encoder.identity;
  }

  async encode(texts, { role }) {
    return { vectors: await this.cache.encode(texts, role) };
  }

  async embedDocuments(texts) {
    const vectors = await this.cache.encode(texts, this.role);
    const { dimension } = this.identity;
    return texts.map((_, i) => Array.from(vectors.subarray(i * dimension, (i + 1) * dimension)));
  }

  async embedQuery(text) {
    const [vector] = await this.embedDocuments([text]);
    return vector;
  }

  /** Milliseconds of one text alone, median. */
  async measure(texts, role) {
    const times = [];
    for (const text of texts.slice(0, TIMED)) {
      const started = performance.now();
      await this.encoder.encode([text], { role });
      times.push(performance.now() - started);
    }
    return times.sort((a, b) => a - b)[times.length >> 1] ?? 0;
  }

  async close() {}

  async closeAll() {
    await this.cache.close();
    await this.encoder.close();
  }
}
