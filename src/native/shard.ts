// The process-wide shards: opened, filled, changed, compacted and evicted.
import { addon, guarded } from './addon.js';
import type { EdgeColumns, RowBatch, ShardHandle, ShardInfo, VectorFormat } from './types.js';

const LOAD_STATES = ['empty', 'loading', 'ready'] as const;

/**
 * The process-wide shard of a scope of a store, shared by all worker threads; made empty when there is
 * none. Every open wants one closeShard; a worker that ends gives its own back.
 */
export function openShard(
  storeKey: string,
  scopeKey: Uint8Array,
  dimension: number,
  format: VectorFormat,
): ShardHandle {
  return guarded('openShard', () => addon.openShard(storeKey, scopeKey, dimension, format));
}

/** Gives back one opening; the last one of all threads drops the shard. */
export function closeShard(handle: ShardHandle): void {
  guarded('closeShard', () => addon.closeShard(handle));
}

/** Drops the shard for every thread; running recalls finish on what they see. */
export function evictShard(handle: ShardHandle): void {
  guarded('evictShard', () => addon.evictShard(handle));
}

/** True for the one caller that is to fill the shard from disk and then call finishLoad. */
export function claimLoad(handle: ShardHandle): boolean {
  return guarded('claimLoad', () => addon.claimLoad(handle) === 1);
}

export function finishLoad(handle: ShardHandle): void {
  guarded('finishLoad', () => addon.finishLoad(handle));
}

export function shardInfo(handle: ShardHandle): ShardInfo {
  const out = new Float64Array(8);
  guarded('shardInfo', () => addon.shardInfo(handle, out));
  const [rows = 0, live = 0, bytes = 0, edges = 0, sessions = 0, speakers = 0, layout = 0, state = 0] = out;
  return { rows, live, bytes, edges, sessions, speakers, layout, state: LOAD_STATES[state] ?? 'empty' };
}

/** Bytes of all shards of the process, replaced states that a reader still holds included. */
export function residentBytes(): number {
  return addon.residentBytes();
}

/** Least recently used shards whose eviction brings the resident bytes to the limit, at most `most`. */
export function evictionCandidates(limitBytes: number, most = 1024): ShardHandle[] {
  const handles = new Float64Array(most);
  const count = guarded('evictionCandidates', () => addon.evictionCandidates(limitBytes, handles));
  return Array.from(handles.subarray(0, count));
}

/** Appends turns, all or none, and returns the first one's row. */
export function appendRows(handle: ShardHandle, rows: RowBatch): number {
  return guarded('appendRows', () =>
    addon.appendRows(
      handle,
      rows.count,
      rows.vectors,
      rows.atMs,
      rows.session,
      rows.speaker,
      rows.previous,
      rows.flags,
      rows.termOffsets,
      rows.terms,
      rows.termCounts,
      rows.lengths,
    ),
  );
}

/** Appends edges, all or none, and returns the first one's number. */
export function appendEdges(handle: ShardHandle, edges: EdgeColumns): number {
  return guarded('appendEdges', () =>
    addon.appendEdges(
      handle,
      edges.source.length,
      edges.source,
      edges.target,
      edges.type,
      edges.weight,
      edges.fromMs,
      edges.toMs,
      edges.evidenceRow,
    ),
  );
}

/** Replaces weights. Copies the edge table once a call: send them in batches. */
export function setEdgeWeights(handle: ShardHandle, edges: Uint32Array, weights: Float32Array): void {
  guarded('setEdgeWeights', () => addon.setEdgeWeights(handle, edges, weights));
}

/** Ends the validity of edges; `asOf` an earlier time they are still walked. */
export function closeEdges(handle: ShardHandle, edges: Uint32Array, toMs: Float64Array): void {
  guarded('closeEdges', () => addon.closeEdges(handle, edges, toMs));
}

export function readEdges(handle: ShardHandle, edges: Uint32Array): EdgeColumns {
  const columns: EdgeColumns = {
    source: new Uint32Array(edges.length),
    target: new Uint32Array(edges.length),
    type: new Uint16Array(edges.length),
    weight: new Float32Array(edges.length),
    fromMs: new Float64Array(edges.length),
    toMs: new Float64Array(edges.length),
    evidenceRow: new Uint32Array(edges.length),
  };
  guarded('readEdges', () =>
    addon.readEdges(
      handle,
      edges,
      columns.source,
      columns.target,
      columns.type,
      columns.weight,
      columns.fromMs,
      columns.toMs,
      columns.evidenceRow,
    ),
  );
  return columns;
}

/** Sets how well rows fit the user's profile, in [0, 1]; 0 where never set. */
export function setProfile(handle: ShardHandle, rows: Uint32Array, values: Float32Array): void {
  guarded('setProfile', () => addon.setProfile(handle, rows, values));
}

/** Forgets rows at once; their memory is given back by compact. */
export function tombstoneRows(handle: ShardHandle, rows: Uint32Array): void {
  guarded('tombstoneRows', () => addon.tombstoneRows(handle, rows));
}

/** Drops forgotten rows and the edges that touch or cite them; returns old number -> new, NONE = gone. */
export function compact(handle: ShardHandle): { rows: Uint32Array; edges: Uint32Array } {
  const { rows, edges } = shardInfo(handle);
  const maps = { rows: new Uint32Array(rows), edges: new Uint32Array(edges) };
  guarded('compact', () => addon.compact(handle, maps.rows, maps.edges));
  return maps;
}
