// Finds the files of an encoder in its folder.

import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OntomemError } from '../../errors.js';
import { readBertConfig } from '../build/bert-config.js';

export type WeightsFormat = 'safetensors' | 'onnx';

export interface ModelFolder {
  folder: string;
  format: WeightsFormat;
  weightsPath: string;
  configPath: string;
  tokenizerPath: string;
  tokenizerSettingsPath: string;
}

/** ONNX files in order of preference, relative to the folder; the second pair is the hub's layout. */
export const ONNX_FILES = [
  'model.onnx',
  'model_quantized.onnx',
  'onnx/model.onnx',
  'onnx/model_quantized.onnx',
] as const;

/**
 * Finds the weights of a folder: safetensors when their config.json is there (they give the exact float32
 * model), else ONNX. @throws ENCODER_INVALID, naming the folder, when there are none or it is unclear which.
 */
export async function findModel(folder: string): Promise<ModelFolder> {
  const refuse = (problem: string): OntomemError =>
    new OntomemError('ENCODER_INVALID', { input: folder, problem });
  const files = await filesOf(folder, '');
  const nested = await filesOf(folder, 'onnx');
  const present = new Set([...files, ...nested]);
  const place = (format: WeightsFormat, file: string): ModelFolder => ({
    folder,
    format,
    weightsPath: join(folder, file),
    configPath: join(folder, 'config.json'),
    tokenizerPath: join(folder, 'tokenizer.json'),
    tokenizerSettingsPath: join(folder, 'tokenizer_config.json'),
  });

  const checkpoints = files.filter((file) => file.endsWith('.safetensors'));
  const checkpoint = checkpoints.find((file) => file === 'model.safetensors') ?? checkpoints[0];
  const graph = ONNX_FILES.find((file) => present.has(file));
  if (checkpoint !== undefined && present.has('config.json')) {
    if (checkpoints.length > 1 && checkpoint !== 'model.safetensors') {
      throw refuse(`holds ${checkpoints.join(' and ')}, and none is named model.safetensors`);
    }
    return place('safetensors', checkpoint);
  }
  if (graph !== undefined) return place('onnx', graph);
  if (checkpoint !== undefined) throw refuse(`holds ${checkpoint} without the config.json it needs`);
  throw refuse('holds no model.onnx, model_quantized.onnx or *.safetensors');
}

async function filesOf(folder: string, below: string): Promise<string[]> {
  const entries = await readdir(join(folder, below), { withFileTypes: true }).catch(() => []);
  // Links, as hubs' caches are made of, are files too; a pipe would be waited for without end.
  return entries
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map(({ name }) => (below === '' ? name : `${below}/${name}`))
    .sort();
}

/** SHA-256 of the weights, hex. O(bytes), 1.7 GB/s. */
export async function weightsDigest(model: ModelFolder): Promise<string> {
  const hash = createHash('sha256');
  // An ONNX file of more than 2 GB keeps its weights in a second file of this name.
  const further = `${model.weightsPath}_data`;
  const parts = existsSync(further) ? [model.weightsPath, further] : [model.weightsPath];
  for (const part of parts) {
    for await (const chunk of createReadStream(part, { highWaterMark: 1 << 20 }))
      hash.update(chunk as Buffer);
  }
  return hash.digest('hex');
}

/**
 * SHA-256, hex, of what stands beside the weights and changes vectors: the tokenizer's files and, where the
 * graph is built from config.json, what it says of the network (another comment in it changes nothing).
 */
export async function configDigest(model: ModelFolder): Promise<string> {
  const hash = createHash('sha256');
  for (const path of [model.tokenizerPath, model.tokenizerSettingsPath]) {
    const bytes = await readFile(path).catch(() => Buffer.alloc(0));
    hash.update(`${bytes.length} `).update(bytes);
  }
  if (model.format === 'safetensors') hash.update(JSON.stringify(await readBertConfig(model.configPath)));
  return hash.digest('hex');
}
