// The process-wide shards: opened, led after their store, changed, compacted and evicted.
import { addon, guarded } from './addon.js';
import type {
  EdgeColumns,
  Followed,
  FollowStep,
  PackedRows,
  RowBatch,
  ShardHandle,
  ShardInfo,
  ShardPosition,
  VectorFormat,
} from './types.js';

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

/** Gives back one opening; the last one of all threads drops the shard. One that was evicted is fine. */
export function closeShard(handle: ShardHandle): void {
  guarded('closeShard', () => addon.closeShard(handle));
}

/** Drops the shard for every thread; running recalls finish on what they see. */
export function evictShard(handle: ShardHandle): void {
  guarded('evictShard', () => addon.evictShard(handle));
}

/**
 * Evicts the least recently used shards of `kept`'s store, for every thread, until the store's bytes are at
 * most `limitBytes`; never `kept`. O(log shards) for each that goes; returns how many went.
 */
export function makeRoom(kept: ShardHandle, limitBytes: number): number {
  return guarded('makeRoom', () => addon.makeRoom(kept, limitBytes));
}

/** Where a shard stands, and how many turns it holds; undefined when it was closed or evicted. */
export function shardPosition(handle: ShardHandle): (ShardPosition & { live: number }) | undefined {
  const out = new Uint32Array(3);
  if (guarded('shardPosition', () => addon.shardPosition(handle, out)) === 0) return undefined;
  const [nextStored = 0, changes = 0, live = 0] = out;
  return { nextStored, changes, live };
}

export function shardInfo(handle: ShardHandle): ShardInfo {
  const out = new Float64Array(7);
  guarded('shardInfo', () => addon.shardInfo(handle, out));
  const [rows = 0, live = 0, bytes = 0, edges = 0, sessions = 0, speakers = 0, layout = 0] = out;
  return { rows, live, bytes, edges, sessions, speakers, layout };
}

/** Bytes of all shards of the process, replaced states that a reader still holds included. */
export function residentBytes(): number {
  return addon.residentBytes();
}

/**
 * Forgets, then appends `rows`, then stands at `step.to`: all or nothing, for every thread at once.
 * @throws NATIVE_BAD_ARGUMENT, NATIVE_NOT_FINITE, NATIVE_OUT_OF_MEMORY, NATIVE_STALE_HANDLE.
 */
export function followRows(handle: ShardHandle, step: FollowStep, rows?: RowBatch): Followed {
  return toFollowed(
    guarded('followRows', () => addon.followRows(handle, packStep(step), step.forgotten, ...packRows(rows))),
  );
}

/** As followRows, with rows as packSegment packed them. @throws NATIVE_BAD_ARGUMENT for a damaged segment. */
export function followSegment(
  handle: ShardHandle,
  step: FollowStep,
  dimension: number,
  segment: Uint8Array,
): Followed {
  return toFollowed(
    guarded('followSegment', () =>
      addon.followSegment(handle, packStep(step), step.forgotten, dimension, segment),
    ),
  );
}

/** Rows as one checksummed block that a load reads without decoding. */
export function packSegment(dimension: number, rows: RowBatch): Uint8Array {
  const packed = packRows(rows);
  const bytes = guarded('packSegment', () => addon.packSegment(undefined, dimension, ...packed));
  const segment = new Uint8Array(bytes);
  guarded('packSegment', () => addon.packSegment(segment, dimension, ...packed));
  return segment;
}

/** Gives the memory of forgotten rows back, on a thread of the pool, when enough are forgotten. */
export function compactShard(handle: ShardHandle): void {
  guarded('compactShard', () => addon.compactShard(handle));
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

function packStep({ from, to, expectedRows = 0 }: FollowStep): Uint32Array {
  return Uint32Array.of(from.nextStored, from.changes, to.nextStored, to.changes, expectedRows);
}

function packRows(rows: RowBatch | undefined): PackedRows {
  if (rows === undefined) return [0];
  return [
    rows.count,
    rows.stored,
    rows.vectors,
    rows.atMs,
    rows.session,
    rows.speaker,
    rows.flags,
    rows.termOffsets,
    rows.terms,
    rows.termCounts,
    rows.lengths,
  ];
}

function toFollowed(bits: number): Followed {
  return { done: (bits & 1) !== 0, compactionDue: (bits & 2) !== 0 };
}
