// Adds encoders, checked, under a name, and lists them; the one place that may fetch a model.

import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Encoder, EncoderIdentity, OpenEncoderOptions } from '../../contract/encoder.js';
import { OntomemError } from '../../errors.js';
import { unitVectorProblem } from '../checked-encoder.js';
import { DEFAULT_ENCODER_NAME, defaultEncoderFolder, openFolder } from '../open-encoder.js';
import { dot } from '../run/dot.js';
import { type FetchOptions, fetchFromHub, isHubId } from './hub.js';
import { register, registeredEncoders } from './registered-encoders.js';

export interface AddEncoderOptions extends OpenEncoderOptions, FetchOptions {}

/** What addEncoder found. */
export interface AddEncoderReport {
  name: string;
  folder: string;
  identity: EncoderIdentity;
  /** Cosines of a question with a passage that answers it, and with one that does not. */
  probe: { related: number; unrelated: number };
}

export interface EncoderListing {
  name: string;
  folder: string;
  hubId?: string;
  /** As it was when added; the default encoder's is known once it is opened. */
  identity?: EncoderIdentity;
}

const PROBE_TEXTS = {
  query: 'Where does the cat like to sleep?',
  related: 'Our cat naps on the living room sofa every afternoon.',
  unrelated: 'The central bank raised interest rates by half a point.',
};

/**
 * Adds the encoder in a folder, or fetches one by hub id ("owner/name") and adds that. It is opened, has to
 * give finite unit vectors, and has to place the probe's question nearer to its answer than to an unrelated
 * sentence; then `openEncoder(report.name)` finds it. Settings passed here are kept with it.
 * @throws ENCODER_INVALID when it fails a check, ENCODER_NOT_FOUND when `source` is neither a folder nor a hub
 * id, ENCODER_FETCH_FAILED (run it again: it resumes), INVALID_ARGUMENT for bad options.
 */
export async function addEncoder(source: string, options: AddEncoderOptions = {}): Promise<AddEncoderReport> {
  const { signal, onProgress, threads, ...settings } = options;
  const local = resolve(source);
  const found = await stat(local).catch(() => undefined);
  const hubId = found === undefined && isHubId(source) ? source : undefined;
  if (found === undefined && hubId === undefined) {
    throw new OntomemError('ENCODER_NOT_FOUND', {
      input: source,
      problem: 'is neither a folder nor a hub id of the form owner/name',
      cure: 'pass one of the two',
    });
  }
  const folder = hubId === undefined ? local : await fetchFromHub(hubId, { signal, onProgress });
  const encoder = await openFolder(folder, { ...settings, threads });
  try {
    const { identity } = encoder;
    if (identity.name === DEFAULT_ENCODER_NAME) {
      throw new OntomemError('INVALID_ARGUMENT', {
        input: 'name',
        problem: `"${identity.name}" is the default encoder's`,
        cure: 'pass another name',
      });
    }
    const probe = await checkProbe(encoder, folder);
    await register({
      name: identity.name,
      folder,
      settings,
      identity,
      ...(hubId === undefined ? {} : { hubId }),
    });
    return { name: identity.name, folder, identity, probe };
  } finally {
    await encoder.close();
  }
}

/** The default encoder and every encoder added. */
export async function listEncoders(): Promise<EncoderListing[]> {
  const added = (await registeredEncoders()).map(({ name, folder, hubId, identity }) => ({
    name,
    folder,
    identity,
    ...(hubId === undefined ? {} : { hubId }),
  }));
  return [{ name: DEFAULT_ENCODER_NAME, folder: defaultEncoderFolder() }, ...added];
}

async function checkProbe(encoder: Encoder, folder: string): Promise<AddEncoderReport['probe']> {
  const refuse = (problem: string): OntomemError =>
    new OntomemError('ENCODER_INVALID', {
      input: folder,
      problem,
      cure: 'check its weights and its pooling',
    });
  const { dimension } = encoder.identity;
  const query = await encoder.encode([PROBE_TEXTS.query], { role: 'query' });
  const passages = await encoder.encode([PROBE_TEXTS.related, PROBE_TEXTS.unrelated], { role: 'passage' });
  const related = passages.vectors.subarray(0, dimension);
  const unrelated = passages.vectors.subarray(dimension);
  for (const vector of [query.vectors, related, unrelated]) {
    const problem = unitVectorProblem(vector);
    if (problem !== undefined) throw refuse(`gives a vector that ${problem}`);
  }
  const cosines = { related: dot(query.vectors, related), unrelated: dot(query.vectors, unrelated) };
  if (cosines.related <= cosines.unrelated) {
    const [near, far] = [cosines.related.toFixed(3), cosines.unrelated.toFixed(3)];
    throw refuse(`places a question no nearer to its answer (${near}) than to an unrelated text (${far})`);
  }
  return cosines;
}
