// The native addon: the one file that loads it, names what it takes and gives, and types its failures.
import { createRequire } from 'node:module';
import { type ErrorCode, errorTable, OntomemError } from '../errors.js';
import {
  CANDIDATE_FEATURES,
  NONE,
  RECALL_PARAMETERS,
  RECALL_STATS,
  type RecallParameter,
  SCORE_PARTS,
} from './native-layout.js';
import type {
  Addon,
  EdgeColumns,
  ModelShape,
  NativeRecallOutput,
  NativeRecallRequest,
  PathStep,
  RowBatch,
  ShardHandle,
  ShardInfo,
  VectorFormat,
} from './native-types.js';

const require = createRequire(import.meta.url);
const addon = load();

/** Built here first, then the prebuilt one of this platform. */
function load(): Addon {
  const platform = `${process.platform}-${process.arch}`;
  const places = [
    '../../../build/Release/ontomem.node',
    `../../../prebuilds/ontomem-${platform}/node-napi-v8.node`,
  ];
  const failures: unknown[] = [];
  for (const place of places) {
    try {
      const loaded: Addon = require(place);
      checkLayout(loaded);
      return loaded;
    } catch (cause) {
      if (cause instanceof OntomemError) throw cause;
      failures.push(cause);
    }
  }
  throw new OntomemError('NATIVE_MISSING', {
    input: 'native addon',
    problem: `none loads on ${platform}`,
    cause: new AggregateError(failures),
  });
}

/** An addon built from other sources would read every number in the wrong place. */
function checkLayout({ layout }: Addon): void {
  const pairs: Array<[string, readonly string[], readonly string[]]> = [
    ['parameters', layout.parameters, RECALL_PARAMETERS],
    ['features', layout.features, CANDIDATE_FEATURES],
    ['parts', layout.parts, SCORE_PARTS],
    ['stats', layout.stats, RECALL_STATS],
  ];
  for (const [name, native, expected] of pairs) {
    if (native.join() === expected.join()) continue;
    throw new OntomemError('NATIVE_MISSING', {
      input: 'native addon',
      problem: `it was built from other sources: its ${name} differ`,
    });
  }
}

function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && code in errorTable;
}

/** Runs a native call; what it throws becomes a typed error that names the call and the argument. */
function guarded<T>(name: string, call: () => T): T {
  try {
    return call();
  } catch (cause) {
    const { code, message } = cause as { code?: unknown; message?: unknown };
    throw new OntomemError(isErrorCode(code) ? code : 'NATIVE_FAILED', {
      input: name,
      problem: String(message),
      cause,
    });
  }
}

/** The instruction set in use: avx512, avx2, neon or scalar (ONTOMEM_ISA overrides it). */
export const nativeIsa = addon.layout.isa;

/** A recall's parameters as the addon reads them. */
export function packRecallParameters(parameters: Record<RecallParameter, number>): Float64Array {
  return Float64Array.from(RECALL_PARAMETERS, (name) => parameters[name]);
}

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

const LOAD_STATES = ['empty', 'loading', 'ready'] as const;

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

/** One recall, see RECALL_PARAMETERS; returns how many rows were written. Synchronous and deterministic. */
export function recall(
  handle: ShardHandle,
  request: NativeRecallRequest,
  output: NativeRecallOutput,
): number {
  return guarded('recall', () =>
    addon.recall(
      handle,
      request.parameters,
      request.queries,
      request.viewWeights,
      request.terms,
      request.idf,
      request.seeds,
      request.seedWeights,
      request.typeWeights,
      request.rowMask,
      request.queryFeatures,
      output.rows,
      output.scores,
      output.parts,
      output.features,
      output.paths,
      output.stats,
    ),
  );
}

/** The best path to a candidate of this thread's last recall, from its seed on; [] for NONE. */
export function readPath(path: number): PathStep[] {
  const most = 8;
  const nodes = new Uint32Array(most);
  const edges = new Uint32Array(most);
  const kinds = new Uint32Array(most);
  const length = guarded('readPath', () => addon.readPath(path, nodes, edges, kinds));
  return Array.from(nodes.subarray(0, length), (node, place) => {
    const kind = place === 0 ? 0 : (kinds[place - 1] ?? 0);
    const edge = place === 0 ? NONE : (edges[place - 1] ?? NONE);
    return { node, edge, type: kind >>> 1, backward: (kind & 1) === 1 };
  });
}

/** Exact top k of each query's inner products: rows and scores are [queries x k], counts [queries]. */
export function search(
  handle: ShardHandle,
  queries: Float32Array,
  k: number,
  output: { rows: Uint32Array; scores: Float32Array; counts: Uint32Array },
): void {
  guarded('search', () => addon.search(handle, queries, k, output.rows, output.scores, output.counts));
}

/** Top k by BM25 alone; returns how many rows were written. */
export function lexical(
  handle: ShardHandle,
  query: { terms: Uint32Array; idf?: Float32Array; k1: number; b: number },
  k: number,
  output: { rows: Uint32Array; scores: Float32Array },
): number {
  return guarded('lexical', () =>
    addon.lexical(handle, query.terms, query.idf, query.k1, query.b, k, output.rows, output.scores),
  );
}

/**
 * Loads or atomically replaces the model of that name in this process and returns its handle.
 * `weights`: hidden weights [hidden x inputs], hidden bias, output weights [outputs x hidden], output bias.
 */
export function loadModel(name: string, weights: Float32Array, shape: ModelShape): number {
  const { inputs, hidden, outputs, activation } = shape;
  return guarded('loadModel', () => addon.loadModel(name, weights, inputs, hidden, outputs, activation));
}

/** Loads or replaces 1 to 3 query maps, [maps x d x d] row-major, and returns their handle. */
export function loadMaps(name: string, maps: Float32Array, dimension: number): number {
  return guarded('loadMaps', () => addon.loadMaps(name, maps, dimension));
}

/** Runs a loaded model: inputs [n x inputs] to out [n x outputs]. */
export function forward(model: number, inputs: Float32Array, out: Float32Array): void {
  guarded('forward', () => addon.forward(model, inputs, out));
}

const CUDA_STATUSES = ['ok', 'not built', 'no device', 'out of memory', 'failed'] as const;

/** Whether the CUDA kernels can work here; 'not built' is the usual answer. */
export function cudaStatus(): (typeof CUDA_STATUSES)[number] {
  return CUDA_STATUSES[guarded('cudaStatus', () => addon.cudaStatus())] ?? 'failed';
}

/** Takes the writer lock at `path`: a ticket >= 0, -1 when another holds it, -2 when it cannot be made. */
export function lockFile(path: string): number {
  return guarded('lockFile', () => addon.lockFile(path));
}

export function unlockFile(ticket: number): void {
  guarded('unlockFile', () => addon.unlockFile(ticket));
}
