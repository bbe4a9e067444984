// The ONNX files built from safetensors, each built once and checked whenever it is opened.

import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pooling } from '../../contract/encoder.js';
import { readBertConfig } from '../build/bert-config.js';
import { BUILDER_VERSION, bertModel } from '../build/bert-graph.js';
import { OnnxWriter } from '../build/onnx-model.js';
import { SafetensorsFile } from '../build/safetensors.js';
import { cacheFolder, writeAtomically } from './cache-folder.js';

const DIGEST_KEY = 'sha256';
const READ_CHUNK_BYTES = 1 << 20;

export interface CheckpointSource {
  weightsPath: string;
  /** SHA-256 of the weights file, hex. */
  sha256: string;
  configPath: string;
  pooling: Pooling;
}

/**
 * The path of the ONNX model of a checkpoint, built if it is not there or damaged. O(weights bytes): the cached
 * file ends in a digest of everything before it, which is compared on every call (55 ms for 90 MB).
 */
export async function cachedBertModel(source: CheckpointSource): Promise<string> {
  const { configDigest, config } = await digestedConfig(source.configPath);
  const key = [source.sha256.slice(0, 32), configDigest.slice(0, 8), source.pooling, `v${BUILDER_VERSION}`];
  const path = join(cacheFolder(), 'models', `${key.join('-')}.onnx`);
  if (await isWhole(path)) return path;
  const weights = await SafetensorsFile.open(source.weightsPath);
  try {
    await writeAtomically(path, withDigest(bertModel(weights, config, source.pooling)));
  } finally {
    await weights.close();
  }
  return path;
}

async function digestedConfig(path: string) {
  const config = await readBertConfig(path);
  return { config, configDigest: createHash('sha256').update(JSON.stringify(config)).digest('hex') };
}

/** Appends the digest as one more piece of the model: metadata that onnxruntime carries along. */
async function* withDigest(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  for await (const piece of pieces) {
    hash.update(piece);
    yield piece;
  }
  yield digestPiece(hash);
}

function digestPiece(hash: Hash): Uint8Array {
  return new OnnxWriter().metadata(DIGEST_KEY, hash.digest('hex'));
}

async function isWhole(path: string): Promise<boolean> {
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  const digestBytes = digestPiece(createHash('sha256')).length;
  if (size <= digestBytes) return false;
  const hash = createHash('sha256');
  const content = { end: size - digestBytes - 1, highWaterMark: READ_CHUNK_BYTES };
  for await (const chunk of createReadStream(path, content)) hash.update(chunk as Buffer);
  const ending: Buffer[] = [];
  for await (const chunk of createReadStream(path, { start: size - digestBytes }))
    ending.push(chunk as Buffer);
  return Buffer.concat(ending).equals(digestPiece(hash));
}
