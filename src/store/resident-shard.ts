// One scope's native shard as this thread sees it: which stored row each shard row is, and how to catch up.

import { NONE } from '../native/layout.js';
import { appendRows } from '../native/shard.js';
import type { ShardHandle } from '../native/types.js';
import type { ScopeRecord } from './records.js';
import type { StoredRow, TurnReader } from './turns/turn-reader.js';

/** Rows handed to the addon in one call: large enough to amortise it, small enough to stay in cache. */
const LOAD_BATCH = 1024;

/** A resident shard. Rows are numbered in the shard without the gaps that forgetting left on disk. */
export class ResidentShard {
  readonly handle: ShardHandle;
  readonly scopeId: number;
  readonly dimension: number;
  /** Shard row -> stored row, ascending. */
  #storedRows: number[] = [];
  /** First stored row not looked at yet. */
  #nextRow = 0;
  /** Deletions of the scope that this shard has seen. */
  #deletions: number;

  constructor(handle: ShardHandle, record: ScopeRecord, dimension: number) {
    this.handle = handle;
    this.scopeId = record.id;
    this.dimension = dimension;
    this.#deletions = record.deletions;
  }

  get rows(): number {
    return this.#storedRows.length;
  }

  /** False when the scope was deleted, or turns of it were deleted behind this shard's back. */
  fits(record: ScopeRecord): boolean {
    return record.id === this.scopeId && record.deletions === this.#deletions;
  }

  /** Appends the rows stored since the last call. O(new rows). */
  catchUp(record: ScopeRecord, log: TurnReader): void {
    if (record.nextRow === this.#nextRow) return;
    let batch: StoredRow[] = [];
    for (const row of log.rows(record.id, this.#nextRow)) {
      batch.push(row);
      if (batch.length === LOAD_BATCH) {
        this.#append(batch);
        batch = [];
      }
    }
    if (batch.length > 0) this.#append(batch);
    this.#nextRow = record.nextRow;
  }

  storedRow(shardRow: number): number {
    return this.#storedRows[shardRow] ?? NONE;
  }

  #append(rows: readonly StoredRow[]): void {
    const count = rows.length;
    const terms = rows.reduce((sum, { record }) => sum + record.termCounts.byteLength / 2, 0);
    const batch = {
      count,
      vectors: new Float32Array(count * this.dimension),
      atMs: new Float64Array(count),
      session: new Uint32Array(count),
      speaker: new Uint32Array(count),
      previous: new Uint32Array(count),
      flags: new Uint32Array(count),
      termOffsets: new Uint32Array(count + 1),
      terms: new Uint32Array(terms * 2),
      termCounts: new Uint16Array(terms),
      lengths: new Uint32Array(count),
    };
    let offset = 0;
    for (const [position, { row, record, vector }] of rows.entries()) {
      batch.vectors.set(vector, position * this.dimension);
      batch.atMs[position] = record.at;
      batch.session[position] = record.session;
      batch.speaker[position] = record.speaker;
      batch.previous[position] = record.previous === 0 ? NONE : this.#shardRow(record.previous - 1);
      batch.flags[position] = record.flags;
      batch.lengths[position] = record.length;
      batch.terms.set(words32(record.termHashes), offset * 2);
      batch.termCounts.set(words16(record.termCounts), offset);
      offset += record.termCounts.byteLength / 2;
      batch.termOffsets[position + 1] = offset;
      this.#storedRows.push(row);
    }
    appendRows(this.handle, batch);
  }

  /** Binary search: stored rows ascend. */
  #shardRow(storedRow: number): number {
    let low = 0;
    let high = this.#storedRows.length - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const found = this.#storedRows[middle] ?? NONE;
      if (found === storedRow) return middle;
      if (found < storedRow) low = middle + 1;
      else high = middle - 1;
    }
    return NONE;
  }
}

/** Copies: a Buffer out of LMDB need not lie on a word boundary. */
function words32(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(new Uint8Array(bytes).buffer);
}

function words16(bytes: Uint8Array): Uint16Array {
  return new Uint16Array(new Uint8Array(bytes).buffer);
}
