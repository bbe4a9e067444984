// The Encoder: tokenise, batch by length, run, and put everything back in order.

import { breathe, inSlices } from '../../breather.js';
import type { EncodeOptions, Encoder, EncoderIdentity, Encoding } from '../../contract/encoder.js';
import { stopOn } from '../../contract/signal.js';
import { OntomemError, reasonOf } from '../../errors.js';
import { RunQueue } from './run-queue.js';
import type { TextTokenizer } from './text-tokenizer.js';
import { type TokenBatch, tokenBatches } from './token-batches.js';
import type { BatchOutput, TokenModel } from './token-model.js';

/**
 * Padded tokens a batch, which is how long the next batch waits.
 * LoCoMo turns with MiniLM on 2 cores: 140 turns/s one by one, 163 at 128 tokens, 179 at 256 (45 ms a batch),
 * 179 at 512 (71 ms), 170 at 1,024, 131 at 4,096, where a layer's states no longer fit the cache.
 */
const BATCH_TOKEN_BUDGET = 256;

export interface TextEncoderParts {
  identity: EncoderIdentity;
  tokenizer: TextTokenizer;
  model: TokenModel;
  /** Whether a row's output depends on the rows beside it; such a model gets one row at a time. */
  mixesRows: boolean;
  release(): void;
}

/** See the Encoder contract. Equal texts of one call are encoded once and share their token states. */
export class TextEncoder implements Encoder {
  readonly identity: EncoderIdentity;
  readonly #running = new Set<Promise<Encoding>>();
  readonly #runs = new RunQueue();
  #closed = false;

  readonly #parts: TextEncoderParts;

  constructor(parts: TextEncoderParts) {
    this.#parts = parts;
    this.identity = parts.identity;
  }

  async encode(texts: readonly string[], options: EncodeOptions): Promise<Encoding> {
    if (this.#closed) {
      throw new OntomemError('ENCODER_CLOSED', { input: this.identity.name, problem: 'is closed' });
    }
    const encoding = this.#encodeTexts(texts, options);
    this.#running.add(encoding);
    try {
      return await encoding;
    } finally {
      this.#running.delete(encoding);
    }
  }

  countTokens(text: string): number {
    return this.#parts.tokenizer.count(text);
  }

  /** Waits for the calls under way, then returns the model; a second call does nothing. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await Promise.allSettled(this.#running);
    this.#parts.release();
  }

  async #encodeTexts(texts: readonly string[], options: EncodeOptions): Promise<Encoding> {
    const { dimension, queryPrefix, passagePrefix } = this.identity;
    const prefix = options.role === 'query' ? queryPrefix : passagePrefix;
    const places = placesOfDistinct(texts);
    const sequences = await this.#tokenise([...places.keys()], prefix, options);
    const rowPlaces = [...places.values()];

    const vectors = new Float32Array(texts.length * dimension);
    const tokenStates = options.tokenStates ? new Array<Float32Array>(texts.length) : undefined;
    const tokenBudget = this.#parts.mixesRows ? 1 : BATCH_TOKEN_BUDGET;
    const kind = { isQuery: options.role === 'query', dueAt: options.dueAt };
    for (const batch of tokenBatches(sequences, tokenBudget)) {
      throwIfAborted(options.signal);
      const output = await this.#runs.run(kind, () => {
        // Nobody may be waiting for it any more when its turn has come.
        throwIfAborted(options.signal);
        return this.#run(batch, options);
      });
      for (const [i, row] of batch.rows.entries()) {
        const vector = output.vectors.subarray(i * dimension, (i + 1) * dimension);
        const states = statesOfRow(output, batch, i);
        for (const place of rowPlaces[row] ?? []) {
          vectors.set(vector, place * dimension);
          if (tokenStates !== undefined && states !== undefined) tokenStates[place] = states;
        }
      }
    }
    throwIfAborted(options.signal);
    return tokenStates === undefined ? { vectors } : { vectors, tokenStates };
  }

  async #run(batch: TokenBatch, { tokenStates = false, signal }: EncodeOptions): Promise<BatchOutput> {
    try {
      return await this.#parts.model.run(batch, tokenStates, signal);
    } catch (cause) {
      throwIfAborted(signal);
      if (cause instanceof OntomemError) throw cause;
      throw new OntomemError('ENCODER_FAILED', {
        input: this.identity.name,
        problem: `the model failed on ${batch.rows.length} texts of ${batch.sequenceLength} tokens (${reasonOf(cause)})`,
        cause,
      });
    }
  }

  async #tokenise(
    texts: readonly string[],
    prefix: string,
    { signal, dueAt }: EncodeOptions,
  ): Promise<number[][]> {
    const sequences: number[][] = [];
    for (const text of texts) {
      throwIfAborted(signal);
      sequences.push(await inSlices(this.#parts.tokenizer.encode(prefix + text), dueAt));
      await breathe(dueAt);
    }
    return sequences;
  }
}

/** Each distinct text with the places it stands at. */
function placesOfDistinct(texts: readonly string[]): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const [place, text] of texts.entries()) {
    const known = places.get(text);
    if (known === undefined) places.set(text, [place]);
    else known.push(place);
  }
  return places;
}

/** A copy of one row's states without its padding, so that the batch's memory can go. */
function statesOfRow(output: BatchOutput, batch: TokenBatch, row: number): Float32Array | undefined {
  const start = row * batch.sequenceLength * output.dimension;
  return output.states?.slice(start, start + (batch.lengths[row] ?? 0) * output.dimension);
}

function throwIfAborted(signal: AbortSignal | undefined): void {
  stopOn(signal, 'signal', 'encoding was aborted');
}
