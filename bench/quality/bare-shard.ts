// Rows in the native core with no store behind them.
import { followRows, openShard } from '../../src/native/shard.js';
import type { RowBatch, ShardHandle } from '../../src/native/types.js';

let opened = 0;

/** Opens a shard of its own that holds `rows`; whoever opens one closes it. */
export function bareShard(dimension: number, rows: RowBatch): ShardHandle {
  const handle = openShard('bench', Buffer.from(String(opened++)), dimension, 'f32');
  const to = { nextStored: rows.count, changes: 0 };
  // Nobody else knows the shard, so the step cannot be late.
  followRows(handle, { from: { nextStored: 0, changes: 0 }, to }, rows);
  return handle;
}
