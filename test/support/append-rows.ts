// Turns into a native shard without a store behind it.
import { followRows, shardPosition } from '../../src/native/shard.js';
import type { RowBatch, ShardHandle } from '../../src/native/types.js';

/** Appends turns to whatever the shard holds, numbered on, and returns the first one's number. */
export function appendRows(handle: ShardHandle, rows: RowBatch): number {
  for (;;) {
    const from = shardPosition(handle) ?? { nextStored: 0, changes: 0 };
    const to = { nextStored: from.nextStored + rows.count, changes: from.changes };
    if (followRows(handle, { from, to }, rows).done) return from.nextStored;
  }
}
