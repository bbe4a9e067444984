// Encodings kept on disk between runs: one append-only file an encoder, found by a hash of the text.
import { readSync } from 'node:fs';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { progress } from '../../src/cli/output.js';
import type { Encoder, TextRole } from '../../src/contract/encoder.js';
import { CACHE_FOLDER, cacheFile, KEY_BYTES, keyOf, WRITE_PATIENCE_MS } from './cache-file.js';

/** Texts in one encoder call: it sorts by length inside, and the bar moves often enough. */
const BATCH = 256;
const SCAN_RECORDS = 4096;
/** A row whose squared norm is off by more was torn by a killed run. */
const NORM_TOLERANCE = 1e-3;
/** Encoded on every opening: a changed encoder behind the same identity starts a new file. */
const PROBE = 'The ferry leaves at noon, and nobody has told the geese.';
const PROBE_TOLERANCE = 1e-3;

/** Unit vectors of texts, a record the text's key and its vector. Other processes may append meanwhile. */
export class VectorCache {
  readonly #encoder: Encoder;
  readonly #file: FileHandle;
  /** Key -> record number on disk. */
  readonly #records: ReadonlyMap<string, number>;
  /** Key -> vector: what was read or encoded by this process. */
  readonly #rows = new Map<string, Float32Array>();

  private constructor(encoder: Encoder, file: FileHandle, records: ReadonlyMap<string, number>) {
    this.#encoder = encoder;
    this.#file = file;
    this.#records = records;
  }

  /** Opens the file of this encoder's identity. O(records) to read the keys. */
  static async open(encoder: Encoder, folder = CACHE_FOLDER): Promise<VectorCache> {
    const path = cacheFile(encoder, folder, 'f32');
    await mkdir(dirname(path), { recursive: true });
    const cache = await VectorCache.#read(encoder, path);
    if (await cache.#agrees()) return cache;
    await cache.close();
    await rm(path);
    return VectorCache.#read(encoder, path);
  }

  static async #read(encoder: Encoder, path: string): Promise<VectorCache> {
    const file = await open(path, 'a+');
    const recordBytes = KEY_BYTES + 4 * encoder.identity.dimension;
    const size = await wholeRecords(file, recordBytes);
    const records = new Map<string, number>();
    const buffer = Buffer.alloc(SCAN_RECORDS * recordBytes);
    for (let first = 0; first * recordBytes < size; first += SCAN_RECORDS) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, first * recordBytes);
      for (let record = 0; (record + 1) * recordBytes <= bytesRead; record++) {
        const at = record * recordBytes;
        records.set(buffer.toString('latin1', at, at + KEY_BYTES), first + record);
      }
    }
    return new VectorCache(encoder, file, records);
  }

  /** Rows in the order of the texts; unknown ones are encoded and appended, with a progress bar. */
  async encode(texts: readonly string[], role: TextRole): Promise<Float32Array> {
    const keys = texts.map((text) => keyOf(text, role));
    const missing = new Map<string, string>();
    for (const [position, text] of texts.entries()) {
      const key = keys[position] ?? '';
      if (!this.#rows.has(key) && !this.#readRow(key)) missing.set(key, text);
    }
    await this.#encodeMissing([...missing], role);
    const { dimension } = this.#encoder.identity;
    const vectors = new Float32Array(texts.length * dimension);
    for (const [position, key] of keys.entries())
      vectors.set(this.#rows.get(key) ?? [], position * dimension);
    return vectors;
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  /** Takes a row from disk into memory; false when it is not there or was torn by a killed run. */
  #readRow(key: string): boolean {
    const record = this.#records.get(key);
    if (record === undefined) return false;
    const row = new Float32Array(this.#encoder.identity.dimension);
    readSync(this.#file.fd, row, 0, row.byteLength, record * (KEY_BYTES + row.byteLength) + KEY_BYTES);
    if (!isUnit(row)) return false;
    this.#rows.set(key, row);
    return true;
  }

  async #encodeMissing(missing: ReadonlyArray<[string, string]>, role: TextRole): Promise<void> {
    if (missing.length === 0) return;
    const byLength = [...missing].sort(([, a], [, b]) => b.length - a.length);
    const bar = progress(`Encoding ${role === 'query' ? 'queries' : 'passages'}`, byLength.length);
    try {
      for (let first = 0; first < byLength.length; first += BATCH) {
        const batch = byLength.slice(first, first + BATCH);
        const { vectors } = await this.#encoder.encode(
          batch.map(([, text]) => text),
          { role },
        );
        await this.#append(
          batch.map(([key]) => key),
          vectors,
        );
        bar.advance(batch.length);
      }
    } finally {
      bar.stop();
    }
  }

  async #append(keys: readonly string[], vectors: Float32Array): Promise<void> {
    const { dimension } = this.#encoder.identity;
    const records: Uint8Array[] = [];
    for (const [position, key] of keys.entries()) {
      const row = vectors.slice(position * dimension, (position + 1) * dimension);
      this.#rows.set(key, row);
      records.push(Buffer.from(key, 'latin1'), new Uint8Array(row.buffer));
    }
    await this.#file.write(Buffer.concat(records));
  }

  async #agrees(): Promise<boolean> {
    const { vectors } = await this.#encoder.encode([PROBE], { role: 'passage' });
    const kept = await this.encode([PROBE], 'passage');
    return kept.every((value, i) => Math.abs(value - (vectors[i] ?? 0)) < PROBE_TOLERANCE);
  }
}

/** The file's size, without a record that a killed run left unfinished. One that grows is being written. */
async function wholeRecords(file: FileHandle, recordBytes: number): Promise<number> {
  const { size } = await file.stat();
  if (size % recordBytes === 0) return size;
  await setTimeout(WRITE_PATIENCE_MS);
  if ((await file.stat()).size !== size) return wholeRecords(file, recordBytes);
  await file.truncate(size - (size % recordBytes));
  return size - (size % recordBytes);
}

function isUnit(row: Float32Array): boolean {
  let squared = 0;
  for (const value of row) squared += value * value;
  return Math.abs(squared - 1) < NORM_TOLERANCE;
}
