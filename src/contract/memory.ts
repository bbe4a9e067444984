// How a memory is opened, and what it says of itself.
import type { Encoder, EncoderIdentity } from './encoder.js';
import type { Limits } from './limits.js';
import type { Scope } from './scope.js';

export interface OpenOptions {
  /** Folder of the store; made when absent. */
  path: string;
  /** An encoder's registered name or model folder, or an open one. Default: the bundled MiniLM. */
  encoder?: string | Encoder;
  /** A limit that is absent or undefined means its default. */
  limits?: { [Name in keyof Limits]?: Limits[Name] | undefined } | undefined;
  /** Open without the right to write; any number of processes may. */
  readOnly?: boolean;
  /** Re-encode a store that was written with another encoder, instead of refusing it. */
  reencode?: boolean;
  /**
   * How vectors are held in memory; the disk keeps them exact. `f32` (default): exact. `bf16`: half the
   * memory, search twice as fast, a few of the last places change. `int8`: a quarter more memory, scanned at
   * a quarter of the bytes and rescored exactly; worth it from some 10,000 turns a user on. Figures: the
   * README of bench, `bench -- load`.
   */
  format?: VectorFormat;
}

/** How a shard keeps vectors: exact, half the memory, or a quantised scan with exact rescoring. */
export type VectorFormat = 'f32' | 'bf16' | 'int8';

export interface TurnsRequest {
  scope: Scope;
  session?: string;
  /** Half-open span of event time. */
  from?: Date | string | number;
  to?: Date | string | number;
}

export interface Stats {
  scopes: number;
  turns: number;
  sessions: number;
  speakers: number;
  /** Event time of the oldest and the newest turn, for one scope only. */
  span?: { from: number; to: number };
  /** Bytes of the data file; the store's, also when one scope is asked about. */
  bytesOnDisk: number;
  /** Bytes of native shards in memory now. */
  residentBytes: number;
  schemaVersion: number;
  encoder: EncoderIdentity;
}

/** What a compaction did. */
export interface Compacted {
  bytesBefore: number;
  bytesAfter: number;
}
