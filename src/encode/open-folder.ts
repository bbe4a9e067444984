// Makes an Encoder of a folder and its settings.

import { basename } from 'node:path';
import type { Encoder } from '../contract/encoder.js';
import { OntomemError } from '../errors.js';
import { readBertConfig } from './bert-config.js';
import { cachedBertModel } from './model-cache.js';
import { findModel, type ModelFolder, weightsDigest } from './model-folder.js';
import { leaseSession } from './sessions.js';
import type { EncoderSettings } from './settings.js';
import { TextEncoder } from './text-encoder.js';
import { TextTokenizer } from './text-tokenizer.js';
import { tokenBatches } from './token-batches.js';
import { BuiltModel, ExportedModel, type TokenModel } from './token-model.js';

/** Positions of a BERT whose folder does not say. */
const usualMaxTokens = 512;

/** Opens the model of a folder; see openEncoder for the errors. `threads` as in leaseSession. */
export async function openModelFolder(
  folder: string,
  settings: EncoderSettings,
  threads: number | undefined,
): Promise<Encoder> {
  const found = await findModel(folder);
  const built = found.format === 'safetensors';
  const pooling = settings.pooling ?? 'mean';
  const maxTokens = await tokenLimit(found, settings);
  const tokenizer = await TextTokenizer.open(found.tokenizerPath, found.tokenizerSettingsPath, maxTokens);
  const sha256 = await weightsDigest(found);
  const path = built ? await cachedBertModel({ ...found, sha256, pooling }) : found.weightsPath;
  const lease = await leaseSession(path, threads);
  try {
    const model = built ? new BuiltModel(lease.session) : new ExportedModel(lease.session, pooling, path);
    const identity = {
      name: settings.name ?? basename(folder),
      sha256,
      dimension: await outputDimension(model, tokenizer, found, settings.dimension),
      pooling,
      queryPrefix: settings.queryPrefix ?? '',
      passagePrefix: settings.passagePrefix ?? '',
    };
    return new TextEncoder({ identity, tokenizer, model, release: lease.release });
  } catch (error) {
    await lease.release();
    throw error;
  }
}

/** The shorter of what the settings ask for and what the position table holds. */
async function tokenLimit(found: ModelFolder, settings: EncoderSettings): Promise<number> {
  if (found.format === 'onnx') return settings.maxTokens ?? usualMaxTokens;
  const { maxTokens } = await readBertConfig(found.configPath);
  return Math.min(settings.maxTokens ?? maxTokens, maxTokens);
}

/** Runs the empty text: the model's own word on its width, and its first allocation of memory. */
async function outputDimension(
  model: TokenModel,
  tokenizer: TextTokenizer,
  found: ModelFolder,
  expected: number | undefined,
): Promise<number> {
  const refuse = (problem: string, cause?: unknown): OntomemError =>
    new OntomemError('ENCODER_INVALID', { input: found.weightsPath, problem, cause });
  const [batch] = tokenBatches([tokenizer.encode('')], 1);
  if (batch === undefined) throw refuse('got no tokens for the empty text');
  const { dimension } = await model.run(batch, false).catch((cause: unknown) => {
    throw refuse(`fails on the empty text (${cause instanceof Error ? cause.message : cause})`, cause);
  });
  if (expected !== undefined && dimension !== expected) {
    throw refuse(`gives ${dimension} dimensions where the settings say ${expected}`);
  }
  return dimension;
}
