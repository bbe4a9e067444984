// Stored rows as the native shard takes them: read page by page, decoded into columns.
import type { RowBatch } from '../../native/types.js';
import { rowKey, rowOfKey } from '../keys.js';
import { type RowRecord, rowCodec } from '../records.js';
import type { Tables } from '../tables.js';

/** A batch that names its rows. */
export interface StoredBatch extends RowBatch {
  stored: Uint32Array;
  /** The first row that was not looked at. */
  next: number;
}

/** The first `most` rows in [from, to) of a scope; a row without a vector is left out. O(most · log n). */
export function readRowBatch(
  tables: Tables,
  scopeId: number,
  from: number,
  to: number,
  most = Number.MAX_SAFE_INTEGER,
): StoredBatch {
  const range = { start: rowKey(scopeId, from), end: rowKey(scopeId, to), limit: most };
  const vectors = new Map<number, Buffer>();
  for (const { key, value } of tables.vectors.getRange(range)) vectors.set(rowOfKey(key), value);
  const rows: Array<{ row: number; record: RowRecord; vector: Buffer }> = [];
  let seen = 0;
  let last = from;
  for (const { key, value } of tables.rows.getRange(range)) {
    const row = rowOfKey(key);
    const vector = vectors.get(row);
    if (vector !== undefined) rows.push({ row, record: rowCodec.decode(value), vector });
    seen++;
    last = row;
  }
  return { ...toBatch(rows), next: seen === most ? last + 1 : to };
}

function toBatch(
  rows: ReadonlyArray<{ row: number; record: RowRecord; vector: Buffer }>,
): Omit<StoredBatch, 'next'> {
  const count = rows.length;
  const dimension = (rows[0]?.vector.byteLength ?? 0) / Float32Array.BYTES_PER_ELEMENT;
  const terms = rows.reduce((sum, { record }) => sum + record.termCounts.byteLength / 2, 0);
  const batch = {
    count,
    stored: new Uint32Array(count),
    vectors: new Float32Array(count * dimension),
    atMs: new Float64Array(count),
    session: new Uint32Array(count),
    speaker: new Uint32Array(count),
    flags: new Uint32Array(count),
    termOffsets: new Uint32Array(count + 1),
    terms: new Uint32Array(terms * 2),
    termCounts: new Uint16Array(terms),
    lengths: new Uint32Array(count),
  };
  const bytes = {
    vectors: bytesOf(batch.vectors),
    terms: bytesOf(batch.terms),
    termCounts: bytesOf(batch.termCounts),
  };
  let offset = 0;
  for (const [position, { row, record, vector }] of rows.entries()) {
    batch.stored[position] = row;
    bytes.vectors.set(vector, vector.byteLength * position);
    batch.atMs[position] = record.at;
    batch.session[position] = record.session;
    batch.speaker[position] = record.speaker;
    batch.flags[position] = record.flags;
    batch.lengths[position] = record.length;
    bytes.terms.set(record.termHashes, offset * 8);
    bytes.termCounts.set(record.termCounts, offset * 2);
    offset += record.termCounts.byteLength / 2;
    batch.termOffsets[position + 1] = offset;
  }
  return batch;
}

function bytesOf(array: Float32Array | Uint32Array | Uint16Array): Uint8Array {
  return new Uint8Array(array.buffer);
}
