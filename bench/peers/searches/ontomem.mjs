// ontomem's exact search: one native call a batch, into buffers of the caller.
import { search } from '../../../dist/src/native/recall.js';
import { closeShard, followRows, openShard } from '../../../dist/src/native/shard.js';

export const name = 'ontomem f32';

export async function open({ vectors, dimension, count, batch, limit }) {
  const shard = openShard('bench peers', Buffer.from(`${dimension} ${count} ${batch}`), dimension, 'f32');
  const column = () => new Uint32Array(count);
  const step = { from: { nextStored: 0, changes: 0 }, to: { nextStored: count, changes: 0 } };
  followRows(shard, step, {
    count,
    vectors,
    atMs: Float64Array.from({ length: count }, (_, i) => i),
    session: column(),
    speaker: column(),
    flags: column(),
    termOffsets: new Uint32Array(count + 1),
    terms: new Uint32Array(),
    termCounts: new Uint16Array(),
    lengths: column(),
  });
  const output = {
    rows: new Uint32Array(batch * limit),
    scores: new Float32Array(batch * limit),
    counts: new Uint32Array(batch),
  };
  return {
    run: (queries) => search(shard, queries, limit, output),
    first: () => [...output.rows.subarray(0, Math.min(limit, count))],
    close: () => closeShard(shard),
  };
}
