// Fetches the files of a model from a hub with the Hugging Face interface. Called by addEncoder only.

import { join } from 'node:path';
import { z } from 'zod';
import { OntomemError } from '../../errors.js';
import { cacheFolder } from './cache-folder.js';
import { download } from './download.js';
import { ONNX_FILES } from './model-folder.js';

export interface FetchOptions {
  signal?: AbortSignal | undefined;
  /** Called as bytes arrive; `totalBytes` is undefined while the server has not said. */
  onProgress?: ((progress: FetchProgress) => void) | undefined;
}

export interface FetchProgress {
  file: string;
  bytes: number;
  totalBytes: number | undefined;
}

const DEFAULT_ENDPOINT = 'https://huggingface.co';
const HUB_ID_PATTERN = /^[A-Za-z0-9][\w.-]*\/[A-Za-z0-9][\w.-]*$/;

/** The part of a hub's model description that is used: the commit, and the files in it. */
const modelSchema = z.object({
  sha: z.string().regex(/^[0-9a-f]{7,64}$/),
  siblings: z.array(z.object({ rfilename: z.string() })),
});

const OPTIONAL_FILES = [
  'config.json',
  'tokenizer_config.json',
  'encoder.json',
  '1_Pooling/config.json',
  'sentence_bert_config.json',
  'config_sentence_transformers.json',
];

/** Whether a text has the form owner/name. */
export function isHubId(text: string): boolean {
  return HUB_ID_PATTERN.test(text);
}

/**
 * Fetches a model's configuration, tokenizer and weights at the newest commit, and returns their folder. Files
 * already fetched are kept, partial ones resumed. The hub is `HF_ENDPOINT`, or the public one.
 * @throws ENCODER_FETCH_FAILED for what the network or the hub does, ENCODER_INVALID when the repository holds no
 * model that can be used, ABORTED.
 */
export async function fetchFromHub(hubId: string, options: FetchOptions = {}): Promise<string> {
  const endpoint = (process.env.HF_ENDPOINT || DEFAULT_ENDPOINT).replace(/\/+$/, '');
  const { sha, siblings } = await describe(`${endpoint}/api/models/${hubId}`, hubId, options.signal);
  const files = chosenFiles(hubId, new Set(siblings.map((sibling) => sibling.rfilename)));
  const [owner = '', name = ''] = hubId.split('/');
  // The commit is part of the path, so a file that is there is the right one, and a partial one can go on.
  const folder = join(cacheFolder(), 'hub', owner, sha, name);
  for (const file of files) {
    const report = (bytes: number, totalBytes: number | undefined): void =>
      options.onProgress?.({ file, bytes, totalBytes });
    const url = `${endpoint}/${hubId}/resolve/${sha}/${file}`;
    await download(url, join(folder, file), { signal: options.signal, onProgress: report });
  }
  return folder;
}

async function describe(
  url: string,
  hubId: string,
  signal: AbortSignal | undefined,
): Promise<z.infer<typeof modelSchema>> {
  const fail = (problem: string, cause?: unknown): OntomemError =>
    new OntomemError('ENCODER_FETCH_FAILED', { input: hubId, problem, cause });
  try {
    const response = await fetch(url, { signal: signal ?? null });
    if (!response.ok) throw fail(`the hub answers ${response.status} to ${url}`);
    return modelSchema.parse(await response.json());
  } catch (cause) {
    if (cause instanceof OntomemError) throw cause;
    if (signal?.aborted) {
      throw new OntomemError('ABORTED', { input: hubId, problem: 'fetching was aborted', cause });
    }
    throw fail(`the hub gives no description of the model at ${url}`, cause);
  }
}

function chosenFiles(hubId: string, available: ReadonlySet<string>): string[] {
  const refuse = (problem: string): OntomemError =>
    new OntomemError('ENCODER_INVALID', { input: hubId, problem, cure: 'name a repository that holds them' });
  if (!available.has('tokenizer.json')) throw refuse('its repository holds no tokenizer.json');
  const checkpoint = available.has('config.json') && available.has('model.safetensors');
  const weights = checkpoint ? 'model.safetensors' : ONNX_FILES.find((file) => available.has(file));
  if (weights === undefined) throw refuse('its repository holds no model.safetensors or model.onnx');
  const external = `${weights}_data`;
  return [
    ...OPTIONAL_FILES.filter((file) => available.has(file)),
    'tokenizer.json',
    ...(available.has(external) ? [external] : []),
    weights,
  ];
}
