// Packed copies of a scope's rows beside the row records: what makes loading fast. Never the only copy.
import { packSegment } from '../../native/shard.js';
import { rangeOfSegment, rowKey, scopeRange, segmentKey } from '../keys.js';
import type { ScopeRecord } from '../records.js';
import type { Tables } from '../tables.js';
import { readRowBatch } from './row-batch.js';

/**
 * Rows of a segment. Packing so many takes 3 ms, which a commit that fills one pays; loading one takes 1 ms.
 * With fewer, a forgotten turn costs less to pack again, and the segments of a large scope cost more to merge.
 */
export const SEGMENT_ROWS = 256;

/** Segments packed again within the transaction that deleted from them; the others wait for the next load. */
const REPACKED_AT_ONCE = 2;

/** The rows [first, end) of a scope that still exist, packed. */
export interface Segment {
  first: number;
  end: number;
  key: Buffer;
}

/**
 * A segment is there only while it is equal to the row records: whatever changes a row takes its segment
 * away in the same transaction. All methods that write run inside one.
 */
export class Segments {
  readonly #tables: Tables;

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  /** The first segment that begins at `row` or behind it. O(log n). */
  next(scopeId: number, row: number): Segment | undefined {
    const range = { start: rowKey(scopeId, row), end: scopeRange(scopeId).end, limit: 1 };
    return [...this.#tables.segments.getKeys(range)].map(toSegment)[0];
  }

  /** Its bytes, valid until the next read of this thread. */
  read({ key }: Segment): Uint8Array | undefined {
    return this.#tables.segments.view(key);
  }

  /** Packs full segments of the rows behind the last one: at most twice as many rows as `appended`. */
  packTail({ id, nextRow }: ScopeRecord, appended: number): void {
    let from = this.#last(id)?.end ?? 0;
    for (
      let left = Math.ceil(appended / SEGMENT_ROWS) * 2;
      left > 0 && nextRow - from >= SEGMENT_ROWS;
      left--
    ) {
      this.#pack(id, from, from + SEGMENT_ROWS);
      from += SEGMENT_ROWS;
    }
  }

  /**
   * Packs the first stretch of at least a segment's rows that is in none; false when there is none left.
   * Shorter ones, between segments, stay as they are. O(segments).
   */
  packGap({ id, nextRow }: ScopeRecord): boolean {
    let from = 0;
    const segments = [...this.#tables.segments.getKeys(scopeRange(id))].map(toSegment);
    for (const { first, end } of [...segments, { first: nextRow, end: nextRow }]) {
      while (first - from >= SEGMENT_ROWS) {
        if (this.#pack(id, from, from + SEGMENT_ROWS)) return true;
        from += SEGMENT_ROWS;
      }
      from = end;
    }
    return false;
  }

  /** Takes the segments of changed or deleted rows away. */
  drop(scopeId: number, rows: readonly number[]): Segment[] {
    const dropped: Segment[] = [];
    // Below it no segment is left.
    let clear = 0;
    for (const row of [...rows].sort((a, b) => a - b)) {
      if (row < clear) continue;
      const segment = this.#last(scopeId, row);
      if (segment === undefined || segment.end <= row) {
        clear = this.next(scopeId, row)?.first ?? Number.POSITIVE_INFINITY;
        continue;
      }
      this.#tables.segments.removeSync(segment.key);
      dropped.push(segment);
      clear = segment.end;
    }
    return dropped;
  }

  /** Packs the first few of what was dropped again, without the rows that were deleted since. */
  packAgain(scopeId: number, dropped: readonly Segment[]): void {
    for (const { first, end } of dropped.slice(0, REPACKED_AT_ONCE)) this.#pack(scopeId, first, end);
  }

  /** The last segment that begins at `row` or before it; of all without `row`. */
  #last(scopeId: number, row?: number): Segment | undefined {
    const { start, end } = scopeRange(scopeId);
    const from = row === undefined ? end : rowKey(scopeId, row + 1);
    return [...this.#tables.segments.getKeys({ start: from, end: start, reverse: true, limit: 1 })].map(
      toSegment,
    )[0];
  }

  /** False when none of the rows exists any more: then there is nothing to pack. */
  #pack(scopeId: number, first: number, end: number): boolean {
    const rows = readRowBatch(this.#tables, scopeId, first, end);
    if (rows.count === 0) return false;
    const segment = packSegment(rows.vectors.length / rows.count, rows);
    this.#tables.segments.putSync(segmentKey(scopeId, first, end), Buffer.from(segment.buffer));
    return true;
  }
}

function toSegment(key: Buffer): Segment {
  return { ...rangeOfSegment(key), key };
}
