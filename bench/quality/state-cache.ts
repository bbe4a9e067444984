// Token states kept on disk between runs: one append-only file an encoder, found by a hash of the text.
import { readSync } from 'node:fs';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { progress } from '../../src/cli/output.js';
import type { Encoder, TextRole } from '../../src/contract/encoder.js';
import { CACHE_FOLDER, cacheFile, KEY_BYTES, keyOf, WRITE_PATIENCE_MS } from './cache-file.js';
import { encodeStates, quantise, type TokenStates } from './token-states.js';

/** A record is the text's key, the length and the checksum of what follows, then the states. */
const HEAD_BYTES = KEY_BYTES + 8;
/** Texts of one encoder call: float states of few texts are alive at a time. */
const BATCH = 64;
/** Encoded on every opening: a changed encoder behind the same identity starts a new file. */
const PROBE = 'The tide was out, and the key lay in the sand.';
const PROBE_TOLERANCE = 1e-3;

/** Where the states of a text lie in the file. */
interface Place {
  at: number;
  bytes: number;
}

/** Unit token states: of passages in int8, of queries in float32. Other processes may append meanwhile. */
export class StateCache {
  readonly #encoder: Encoder;
  readonly #file: FileHandle;
  readonly #places: ReadonlyMap<string, Place>;
  /** Key -> states: what was read or encoded by this process. */
  readonly #known = new Map<string, Buffer>();

  private constructor(encoder: Encoder, file: FileHandle, places: ReadonlyMap<string, Place>) {
    this.#encoder = encoder;
    this.#file = file;
    this.#places = places;
  }

  /** O(records) to read their heads. @throws ENCODER_INVALID when the encoder gives no token states. */
  static async open(encoder: Encoder, folder = CACHE_FOLDER): Promise<StateCache> {
    const path = cacheFile(encoder, folder, 'states');
    await mkdir(dirname(path), { recursive: true });
    const [probe = new Float32Array()] = await encodeStates(encoder, [PROBE], 'query');
    const cache = await StateCache.#read(encoder, path);
    const [kept = new Float32Array()] = await cache.queries([PROBE]);
    if (kept.every((value, i) => Math.abs(value - (probe[i] ?? 0)) < PROBE_TOLERANCE)) return cache;
    await cache.close();
    await rm(path);
    return StateCache.#read(encoder, path);
  }

  static async #read(encoder: Encoder, path: string): Promise<StateCache> {
    const file = await open(path, 'a+');
    return new StateCache(encoder, file, await placesIn(file));
  }

  async passages(texts: readonly string[]): Promise<TokenStates[]> {
    const { dimension } = this.#encoder.identity;
    return (await this.#states(texts, 'passage')).map((bytes) => {
      const tokens = bytes.length / (dimension + 4);
      return {
        scales: new Float32Array(bytes.buffer, bytes.byteOffset, tokens),
        values: new Int8Array(bytes.buffer, bytes.byteOffset + 4 * tokens, tokens * dimension),
      };
    });
  }

  async queries(texts: readonly string[]): Promise<Float32Array[]> {
    return (await this.#states(texts, 'query')).map(
      ({ buffer, byteOffset, length }) => new Float32Array(buffer, byteOffset, length / 4),
    );
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  async #states(texts: readonly string[], role: TextRole): Promise<Buffer[]> {
    const keys = texts.map((text) => keyOf(text, role));
    const missing = new Map<string, string>();
    for (const [position, text] of texts.entries()) {
      const key = keys[position] ?? '';
      if (!this.#known.has(key) && !this.#readStates(key)) missing.set(key, text);
    }
    await this.#encodeMissing([...missing], role);
    return keys.flatMap((key) => this.#known.get(key) ?? []);
  }

  /** Takes states from disk into memory; false when they are not there or were torn by a killed run. */
  #readStates(key: string): boolean {
    const place = this.#places.get(key);
    if (place === undefined) return false;
    const record = aligned(place.bytes + 4);
    readSync(this.#file.fd, record, 0, record.length, place.at - 4);
    const states = aligned(place.bytes);
    record.copy(states, 0, 4);
    if (crc32(states) !== record.readUInt32LE(0)) return false;
    this.#known.set(key, states);
    return true;
  }

  async #encodeMissing(missing: ReadonlyArray<[string, string]>, role: TextRole): Promise<void> {
    if (missing.length === 0) return;
    const byLength = missing.toSorted(([, a], [, b]) => b.length - a.length);
    const bar = progress(`Token states of ${role === 'query' ? 'queries' : 'passages'}`, byLength.length);
    try {
      for (let first = 0; first < byLength.length; first += BATCH) {
        const batch = byLength.slice(first, first + BATCH);
        const texts = batch.map(([, text]) => text);
        const encoded = await encodeStates(this.#encoder, texts, role);
        const records = encoded.flatMap((states, place) =>
          this.#record(batch[place]?.[0] ?? '', states, role),
        );
        await this.#file.write(Buffer.concat(records));
        bar.advance(batch.length);
      }
    } finally {
      bar.stop();
    }
  }

  #record(key: string, states: Float32Array, role: TextRole): Buffer[] {
    const bytes = role === 'query' ? bytesOf(states) : this.#packed(states);
    this.#known.set(key, bytes);
    const head = Buffer.alloc(HEAD_BYTES);
    head.write(key, 'latin1');
    head.writeUInt32LE(bytes.length, KEY_BYTES);
    head.writeUInt32LE(crc32(bytes), KEY_BYTES + 4);
    return [head, bytes];
  }

  #packed(states: Float32Array): Buffer {
    const { scales, values } = quantise(states, this.#encoder.identity.dimension);
    const packed = aligned(scales.byteLength + values.byteLength);
    bytesOf(scales).copy(packed, 0);
    bytesOf(values).copy(packed, scales.byteLength);
    return packed;
  }
}

/** The heads of all whole records. One that is cut off is waited for, then cut away. */
async function placesIn(file: FileHandle): Promise<Map<string, Place>> {
  const places = new Map<string, Place>();
  const { size } = await file.stat();
  const head = Buffer.alloc(HEAD_BYTES);
  let at = 0;
  while (at < size) {
    const read = readSync(file.fd, head, 0, HEAD_BYTES, at);
    const bytes = head.readUInt32LE(KEY_BYTES);
    if (read < HEAD_BYTES || at + HEAD_BYTES + bytes > size) {
      await setTimeout(WRITE_PATIENCE_MS);
      if ((await file.stat()).size !== size) return placesIn(file);
      await file.truncate(at);
      break;
    }
    places.set(head.toString('latin1', 0, KEY_BYTES), { at: at + HEAD_BYTES, bytes });
    at += HEAD_BYTES + bytes;
  }
  return places;
}

/** A buffer of its own, so that floats may be read in place. */
function aligned(bytes: number): Buffer {
  return Buffer.from(new ArrayBuffer(bytes));
}

function bytesOf({ buffer, byteOffset, byteLength }: Float32Array | Int8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
