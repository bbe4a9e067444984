// What has to be known about an encoder beyond its weights, and where each part of it comes from.

import { readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import type { EncoderSettings } from '../contract/encoder.js';
import { OntomemError } from '../errors.js';

/** The manifest `encoder.json` beside the weights; the same keys may be passed to openEncoder. */
export const settingsSchema = z.strictObject({
  name: z.string().min(1).max(200).optional(),
  pooling: z.enum(['mean', 'cls']).optional(),
  queryPrefix: z.string().max(1000).optional(),
  passagePrefix: z.string().max(1000).optional(),
  /** Longest token sequence, special tokens included. */
  maxTokens: z.number().int().min(4).max(65536).optional(),
  /** What the model's output must have; a check, since the model itself says it. */
  dimension: z.number().int().positive().optional(),
});

const SEARCH_PREFIX = 'Represent this sentence for searching relevant passages: ';

/** Families whose model cards, not their files, say how to use them. Matched against the folder's name and the manifest's. */
const knownFamilies: readonly { name: RegExp; settings: EncoderSettings }[] = [
  {
    name: /\be5\b(?!.*instruct)/i,
    settings: { pooling: 'mean', queryPrefix: 'query: ', passagePrefix: 'passage: ' },
  },
  { name: /\bbge-m3\b/i, settings: { pooling: 'cls' } },
  { name: /\bbge\b/i, settings: { pooling: 'cls', queryPrefix: SEARCH_PREFIX } },
  { name: /\b(arctic-embed|mxbai-embed)\b/i, settings: { pooling: 'cls', queryPrefix: SEARCH_PREFIX } },
];

/** The largest tokenizer.json in use has 35 MB. */
const MAX_JSON_BYTES = 256 * 1024 * 1024;

const MANIFEST_FILE = 'encoder.json';

/** The parts of a sentence-transformers folder that say what an `encoder.json` would. */
const poolingSchema = z.object({
  pooling_mode_cls_token: z.boolean(),
  pooling_mode_mean_tokens: z.boolean(),
});
const lengthSchema = z.object({ max_seq_length: z.number().int().min(4).nullish() });
const promptsSchema = z.object({ prompts: z.record(z.string(), z.string()).nullish() });

/** Gathers a folder's settings: its manifest, else its sentence-transformers files, else its family's. */
export async function folderSettings(folder: string): Promise<EncoderSettings> {
  const manifest = await readJson(join(folder, MANIFEST_FILE), settingsSchema);
  const pooling = await readJson(join(folder, '1_Pooling', 'config.json'), poolingSchema);
  const length = await readJson(join(folder, 'sentence_bert_config.json'), lengthSchema);
  const prompts = (await readJson(join(folder, 'config_sentence_transformers.json'), promptsSchema))?.prompts;
  const names = `${basename(folder)} ${manifest?.name ?? ''}`;
  const family = knownFamilies.find((known) => known.name.test(names))?.settings;
  const described: EncoderSettings = {
    pooling: pooling?.pooling_mode_cls_token ? 'cls' : pooling?.pooling_mode_mean_tokens ? 'mean' : undefined,
    maxTokens: length?.max_seq_length ?? undefined,
    queryPrefix: prompts?.query || undefined,
    passagePrefix: prompts?.passage || prompts?.document || undefined,
  };
  return firstDefined(manifest, described, family);
}

/** Takes every key from the first settings that define it. */
export function firstDefined(...layers: readonly (EncoderSettings | undefined)[]): EncoderSettings {
  const merged: EncoderSettings = {};
  for (const layer of layers.toReversed()) {
    for (const [key, value] of Object.entries(layer ?? {})) {
      if (value !== undefined) Object.assign(merged, { [key]: value });
    }
  }
  return merged;
}

/**
 * Reads and checks a JSON file of an encoder's folder; undefined when there is none. @throws ENCODER_INVALID,
 * naming the file, when it is no JSON or not of the schema.
 */
export async function readJson<T>(path: string, schema: z.ZodType<T>): Promise<T | undefined> {
  const refuse = (problem: string, cause?: unknown) =>
    new OntomemError('ENCODER_INVALID', { input: path, problem, cause });
  let text: string;
  try {
    const found = await stat(path);
    if (!found.isFile()) throw refuse('is no file');
    if (found.size > MAX_JSON_BYTES) throw refuse(`has ${found.size} bytes, more than ${MAX_JSON_BYTES}`);
    text = await readFile(path, 'utf8');
  } catch (cause) {
    if (isMissing(cause)) return undefined;
    if (cause instanceof OntomemError) throw cause;
    throw refuse('cannot be read', cause);
  }
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    const problem = cause instanceof z.ZodError ? z.prettifyError(cause) : String(cause);
    throw refuse(problem, cause);
  }
}

function isMissing(error: unknown): boolean {
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
