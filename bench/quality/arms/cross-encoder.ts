// A cross-encoder: reads query and passage together and says how well the passage answers.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';
import { openSession } from '../../../src/encode/run/sessions.js';
import { OntomemError } from '../../../src/errors.js';
import type { ModelSession } from '../../../src/native/session.js';

const GRAPHS = ['model.onnx', 'model_quantized.onnx', 'onnx/model.onnx', 'onnx/model_quantized.onnx'];
const MOST_TOKENS = 512;
/** Padded tokens of one run: larger ones leave the cache (see BATCH_TOKEN_BUDGET of the encoder). */
const BATCH_TOKENS = 1024;

export interface PairScores {
  /** One logit a passage. */
  scores: Float32Array;
  /** Tokens that went through the model, padding aside. */
  tokens: number;
}

/** One `[CLS] query [SEP] passage [SEP]` sequence. */
interface Pair {
  place: number;
  ids: number[];
  types: number[];
}

export class CrossEncoder {
  readonly #session: ModelSession;
  readonly #tokenizer: Tokenizer;

  private constructor(session: ModelSession, tokenizer: Tokenizer) {
    this.#session = session;
    this.#tokenizer = tokenizer;
  }

  /** Opens a folder with an ONNX graph and tokenizer.json. @throws ENCODER_INVALID naming the folder. */
  static async open(folder: string): Promise<CrossEncoder> {
    const graph = GRAPHS.map((name) => join(folder, name)).find(existsSync);
    if (graph === undefined) throw refuse(folder, `holds none of ${GRAPHS.join(', ')}`);
    try {
      const definition: unknown = JSON.parse(await readFile(join(folder, 'tokenizer.json'), 'utf8'));
      const tokenizer = new Tokenizer(Object(definition), {});
      return new CrossEncoder(await openSession(graph, undefined), tokenizer);
    } catch (cause) {
      throw refuse(folder, `cannot be opened (${cause instanceof Error ? cause.message : cause})`, cause);
    }
  }

  /** Scores passages in the order given; pads to the longest of a batch of similar length. */
  async score(query: string, passages: readonly string[]): Promise<PairScores> {
    const pairs = passages.map((passage, place) => this.#pair(query, passage, place));
    const byLength = pairs.toSorted((a, b) => a.ids.length - b.ids.length);
    const scores = new Float32Array(passages.length);
    for (const batch of batches(byLength)) {
      const logits = await this.#run(batch);
      for (const [i, { place }] of batch.entries()) scores[place] = logits[i] ?? 0;
    }
    return { scores, tokens: pairs.reduce((sum, { ids }) => sum + ids.length, 0) };
  }

  async close(): Promise<void> {
    this.#session.close();
  }

  #pair(query: string, passage: string, place: number): Pair {
    const { ids, token_type_ids: types } = this.#tokenizer.encode(query, {
      text_pair: passage,
      return_token_type_ids: true,
    });
    if (ids.length <= MOST_TOKENS) return { place, ids, types };
    // The end of a long passage goes, the separator after it stays.
    return {
      place,
      ids: [...ids.slice(0, MOST_TOKENS - 1), ...ids.slice(-1)],
      types: types.slice(0, MOST_TOKENS),
    };
  }

  async #run(batch: readonly Pair[]): Promise<Float32Array> {
    const width = Math.max(...batch.map(({ ids }) => ids.length));
    const filled = (row: (pair: Pair) => readonly number[]) => {
      const data = new Int32Array(batch.length * width);
      for (const [i, pair] of batch.entries()) data.set(row(pair), i * width);
      return data;
    };
    const input = {
      ids: filled(({ ids }) => ids),
      mask: filled(({ ids }) => ids.map(() => 1)),
      types: filled(({ types }) => types),
      rows: batch.length,
    };
    const [output] = await this.#session.run(input, [this.#session.outputs[0]?.name ?? '']);
    const logits = output?.values;
    if (logits?.length === batch.length) return logits;
    throw refuse(
      'the reranker',
      `gave ${logits?.length ?? 'no'} numbers for ${batch.length} pairs, not one each`,
    );
  }
}

function* batches(byLength: readonly Pair[]): Generator<Pair[]> {
  let batch: Pair[] = [];
  for (const pair of byLength) {
    if (batch.length > 0 && (batch.length + 1) * pair.ids.length > BATCH_TOKENS) {
      yield batch;
      batch = [];
    }
    batch.push(pair);
  }
  if (batch.length > 0) yield batch;
}

function refuse(input: string, problem: string, cause?: unknown): OntomemError {
  return new OntomemError('ENCODER_INVALID', { input, problem, cause });
}
