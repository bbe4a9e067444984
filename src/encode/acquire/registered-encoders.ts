// The encoders that addEncoder registered: one JSON file in the cache folder.

import { join } from 'node:path';
import { z } from 'zod';
import { encoderIdentitySchema } from '../../contract/schemas.js';
import { OntomemError } from '../../errors.js';
import { readJson, settingsSchema } from '../settings.js';
import { cacheFolder, writeAtomically } from './cache-folder.js';

const entrySchema = z.object({
  name: z.string(),
  folder: z.string(),
  /** Where it was fetched from, when it was. */
  hubId: z.string().optional(),
  settings: settingsSchema,
  /** As it was when it was added. */
  identity: encoderIdentitySchema,
});

const registrySchema = z.object({ version: z.literal(1), encoders: z.array(entrySchema) });

export type RegisteredEncoder = z.infer<typeof entrySchema>;

function registryPath(): string {
  return join(cacheFolder(), 'encoders.json');
}

/** All registered encoders, in the order added. @throws ENCODER_INVALID when the registry file is damaged. */
export async function registeredEncoders(): Promise<RegisteredEncoder[]> {
  const path = registryPath();
  try {
    return (await readJson(path, registrySchema))?.encoders ?? [];
  } catch (cause) {
    throw new OntomemError('ENCODER_INVALID', {
      input: path,
      problem: 'is no list of encoders',
      cure: 'delete it and add your encoders again',
      cause,
    });
  }
}

/** Finds an encoder by the name it was registered under, or by its hub id. */
export async function findRegistered(name: string): Promise<RegisteredEncoder | undefined> {
  const encoders = await registeredEncoders();
  return encoders.find((entry) => entry.name === name) ?? encoders.find((entry) => entry.hubId === name);
}

/** Registers an encoder, in place of one of the same name. */
export async function register(entry: RegisteredEncoder): Promise<void> {
  const others = (await registeredEncoders()).filter((known) => known.name !== entry.name);
  const registry = { version: 1, encoders: [...others, entry] };
  await writeAtomically(registryPath(), [Buffer.from(`${JSON.stringify(registry, undefined, 2)}\n`)]);
}
