// Makes an Encoder of a folder and its settings.

import { basename } from 'node:path';
import { z } from 'zod';
import type { Encoder, EncoderSettings } from '../../contract/encoder.js';
import { OntomemError, reasonOf } from '../../errors.js';
import { readBertConfig } from '../build/bert-config.js';
import { openSession } from '../run/sessions.js';
import { TextEncoder } from '../run/text-encoder.js';
import { TextTokenizer, type TokenBounds } from '../run/text-tokenizer.js';
import { tokenBatches } from '../run/token-batches.js';
import { type BatchOutput, BuiltModel, ExportedModel, type TokenModel } from '../run/token-model.js';
import { readJson } from '../settings.js';
import { cachedBertModel } from './model-cache.js';
import { configDigest, findModel, type ModelFolder, weightsDigest } from './model-folder.js';

/** All that is needed of the config.json beside a graph exported elsewhere. */
const exportedConfigSchema = z.looseObject({ vocab_size: z.number().int().positive().optional() });

/** Positions of a BERT whose folder does not say. */
const USUAL_MAX_TOKENS = 512;

/** The shorter first, since batches are sorted by length. */
const PROBE_TEXTS = [
  'Hello there.',
  'I moved to a small town by the sea last year, and I like it a lot!',
] as const;
/** Float32 rounding in another order costs 7e-7. */
const LEAST_COSINE_WITH_ITSELF = 1 - 1e-5;

/** Opens the model of a folder; see openEncoder for the errors. `threads` as in openSession. */
export async function openModelFolder(
  folder: string,
  settings: EncoderSettings,
  threads: number | undefined,
): Promise<Encoder> {
  const found = await findModel(folder);
  const built = found.format === 'safetensors';
  const pooling = settings.pooling ?? 'mean';
  const { maxTokens, vocabularySize } = await tokenBounds(found, settings);
  const tokenizer = await TextTokenizer.open(found.tokenizerPath, found.tokenizerSettingsPath, {
    maxTokens,
    vocabularySize,
  });
  const sha256 = await weightsDigest(found);
  const path = built ? await cachedBertModel({ ...found, sha256, pooling }) : found.weightsPath;
  const session = await openSession(path, threads);
  try {
    const model = built ? new BuiltModel(session) : new ExportedModel(session, pooling, path);
    const { dimension, mixesRows } = await inspect(model, tokenizer, found, settings.dimension);
    const identity = {
      name: settings.name ?? basename(folder),
      sha256,
      configSha256: await configDigest(found),
      dimension,
      pooling,
      queryPrefix: settings.queryPrefix ?? '',
      passagePrefix: settings.passagePrefix ?? '',
      maxTokens,
      precision: built ? 'f32' : 'model',
    };
    return new TextEncoder({ identity, tokenizer, model, mixesRows, release: () => session.close() });
  } catch (error) {
    session.close();
    throw error;
  }
}

/** The shorter of what the settings ask for and what the position table holds, and the rows of the word table. */
async function tokenBounds(found: ModelFolder, settings: EncoderSettings): Promise<TokenBounds> {
  if (found.format === 'onnx') {
    const config = await readJson(found.configPath, exportedConfigSchema);
    return { maxTokens: settings.maxTokens ?? USUAL_MAX_TOKENS, vocabularySize: config?.vocab_size };
  }
  const { maxTokens, vocabularySize } = await readBertConfig(found.configPath);
  return { maxTokens: Math.min(settings.maxTokens ?? maxTokens, maxTokens), vocabularySize };
}

/**
 * Runs two texts of different length, alone and together: the model says how wide its vectors are, and whether
 * a text's vector depends on the batch it is in. Models quantised dynamically do: they scale the activations of
 * a whole batch by one number, and the same LoCoMo turn came out with a cosine of .991 to itself.
 */
async function inspect(
  model: TokenModel,
  tokenizer: TextTokenizer,
  found: ModelFolder,
  expected: number | undefined,
): Promise<{ dimension: number; mixesRows: boolean }> {
  const refuse = (problem: string, cause?: unknown): OntomemError =>
    new OntomemError('ENCODER_INVALID', { input: found.weightsPath, problem, cause });
  const run = async (sequences: readonly (readonly number[])[]): Promise<BatchOutput> => {
    const [batch] = tokenBatches(sequences, Number.POSITIVE_INFINITY);
    if (batch === undefined) throw refuse('was given no text');
    return model.run(batch, false).catch((cause: unknown) => {
      throw refuse(`fails on a short text (${reasonOf(cause)})`, cause);
    });
  };
  const [short, long] = PROBE_TEXTS.map((text) => tokenizer.encode(text)) as [number[], number[]];
  const alone = await run([short]);
  const { dimension } = alone;
  if (expected !== undefined && dimension !== expected) {
    throw refuse(`gives ${dimension} dimensions where the settings say ${expected}`);
  }
  if (found.format === 'safetensors') return { dimension, mixesRows: false };
  const together = await run([short, long]);
  const cosine = alone.vectors.reduce((sum, value, i) => sum + value * (together.vectors[i] ?? 0), 0);
  return { dimension, mixesRows: cosine < LEAST_COSINE_WITH_ITSELF };
}
