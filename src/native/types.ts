// What crosses the border to the native addon: batches, requests, outputs, and the addon itself.

import type { VectorFormat } from '../contract/memory.js';

export type { VectorFormat };

/** Handle of an open shard; stale once the shard is closed by all or evicted (NATIVE_STALE_HANDLE). */
export type ShardHandle = number;

/** Turns to append, `count` of them, dimension d. A turn follows the one appended before it in its session. */
export interface RowBatch {
  count: number;
  /** The store's numbers of the turns, ascending, above all earlier ones; absent: they count on. */
  stored?: Uint32Array;
  /** [count x d], finite. */
  vectors: Float32Array;
  atMs: Float64Array;
  /** The scope's numbers, below 2^30; any will do, they need not be dense. */
  session: Uint32Array;
  speaker: Uint32Array;
  /** Bits of RowFlag. */
  flags: Uint32Array;
  /** [count + 1], from 0: turn i's terms are [termOffsets[i], termOffsets[i + 1]). */
  termOffsets: Uint32Array;
  /** 64-bit hashes as pairs of words, low word first; distinct within a turn. */
  terms: Uint32Array;
  termCounts: Uint16Array;
  /** Tokens of each turn. */
  lengths: Uint32Array;
}

/** How far a shard has followed its store: rows below `nextStored` and the first `changes` changes are in it. */
export interface ShardPosition {
  nextStored: number;
  changes: number;
}

/** One step of a shard after its store; it is done only by who comes while the shard stands at `from`. */
export interface FollowStep {
  from: ShardPosition;
  to: ShardPosition;
  /** The store's numbers of turns forgotten between the two. */
  forgotten?: Uint32Array;
  /** Rows the store has: a first load makes room for so many. */
  expectedRows?: number;
}

/** What became of a step. */
export interface Followed {
  /** False when the shard no longer stood at `from`, or another thread was writing it: look again. */
  done: boolean;
  /** Enough is forgotten: call compactShard. */
  compactionDue: boolean;
}

/** Edges, `count` of them: columns of the scope's graph. */
export interface EdgeColumns {
  source: Uint32Array;
  target: Uint32Array;
  type: Uint16Array;
  /** >= 0; a walk counts at most 1. */
  weight: Float32Array;
  /** Valid in [fromMs, toMs); toMs is Infinity for an open edge. */
  fromMs: Float64Array;
  toMs: Float64Array;
  /** The turn that says so, or NONE. */
  evidenceRow: Uint32Array;
}

export interface ShardInfo {
  rows: number;
  live: number;
  bytes: number;
  edges: number;
  sessions: number;
  speakers: number;
  /** Grows with each compaction: row and edge numbers of another layout mean nothing. */
  layout: number;
}

/** Every array may be absent but `parameters`; an arm whose array is absent does not run. */
export interface NativeRecallRequest {
  /** Float64Array over RECALL_PARAMETERS. */
  parameters: Float64Array;
  /** [1..4 x d]; a loaded set of maps adds views of the first one, at most 4 views in all. */
  queries?: Float32Array | undefined;
  /** One a view. */
  viewWeights?: Float32Array | undefined;
  /** Pairs of words as in RowBatch, distinct. */
  terms?: Uint32Array | undefined;
  /** One a term; without it the visible turns' own. */
  idf?: Float32Array | undefined;
  seeds?: Uint32Array | undefined;
  /** In [0, 1], one a seed. */
  seedWeights?: Float32Array | undefined;
  /** [hops x types x 2 (forward, backward)] in [0, 1]; without it every type counts 1. */
  typeWeights?: Float32Array | undefined;
  /** One bit a row, set = may be returned. */
  rowMask?: Uint32Array | undefined;
  /** The scorer's input is a candidate's features, then these. */
  queryFeatures?: Float32Array | undefined;
}

/** Caller-owned outputs; `rows` takes the store's numbers and bounds the answer, the others are at least as long or absent. */
export interface NativeRecallOutput {
  rows: Uint32Array;
  /** Calibrated, in [0, 1], descending. */
  scores?: Float32Array | undefined;
  /** [rows x SCORE_PARTS]. */
  parts?: Float32Array | undefined;
  /** [rows x CANDIDATE_FEATURES]. */
  features?: Float32Array | undefined;
  /** For readPath, until the next recall of this thread; NONE where the graph did not reach. */
  paths?: Uint32Array | undefined;
  /** Float64Array over RECALL_STATS. */
  stats?: Float64Array | undefined;
}

/** One step of a path: the node it leads to and, but for the first, the edge taken there. */
export interface PathStep {
  node: number;
  /** Edge number, or NONE for a structural edge. */
  edge: number;
  type: number;
  backward: boolean;
}

/** A perceptron: inputs -> hidden (ReLU) -> outputs. */
export interface ModelShape {
  inputs: number;
  hidden: number;
  outputs: number;
  activation: 'linear' | 'sigmoid';
}

type Optional<T> = T | undefined;

/** A RowBatch in the order the addon takes it; a count of 0 stands alone. */
export type PackedRows =
  | [
      count: number,
      stored: Optional<Uint32Array>,
      vectors: Float32Array,
      atMs: Float64Array,
      session: Uint32Array,
      speaker: Uint32Array,
      flags: Uint32Array,
      termOffsets: Uint32Array,
      terms: Uint32Array,
      termCounts: Uint16Array,
      lengths: Uint32Array,
    ]
  | [none: 0];

/** The functions as the addon exports them; the files beside this one wrap each. */
export interface Addon {
  layout: {
    parameters: string[];
    features: string[];
    parts: string[];
    stats: string[];
    isa: string;
    /** Why ONTOMEM_ISA was not followed. */
    isaWarning?: string;
  };
  openShard(storeKey: string, scopeKey: Uint8Array, dimension: number, format: VectorFormat): ShardHandle;
  closeShard(handle: ShardHandle): void;
  evictShard(handle: ShardHandle): void;
  shardPosition(handle: ShardHandle, out: Uint32Array): number;
  shardInfo(handle: ShardHandle, out: Float64Array): void;
  residentBytes(): number;
  makeRoom(kept: ShardHandle, limitBytes: number): number;
  followRows(
    handle: ShardHandle,
    step: Uint32Array,
    forgotten: Optional<Uint32Array>,
    ...rows: PackedRows
  ): number;
  followSegment(
    handle: ShardHandle,
    step: Uint32Array,
    forgotten: Optional<Uint32Array>,
    dimension: number,
    segment: Uint8Array,
  ): number;
  packSegment(out: Optional<Uint8Array>, dimension: number, ...rows: PackedRows): number;
  compactShard(handle: ShardHandle): void;
  appendEdges(
    handle: ShardHandle,
    count: number,
    source: Uint32Array,
    target: Uint32Array,
    type: Uint16Array,
    weight: Float32Array,
    fromMs: Float64Array,
    toMs: Float64Array,
    evidenceRow: Uint32Array,
  ): number;
  setEdgeWeights(handle: ShardHandle, edges: Uint32Array, weights: Float32Array): void;
  closeEdges(handle: ShardHandle, edges: Uint32Array, toMs: Float64Array): void;
  readEdges(
    handle: ShardHandle,
    edges: Uint32Array,
    source: Uint32Array,
    target: Uint32Array,
    type: Uint16Array,
    weight: Float32Array,
    fromMs: Float64Array,
    toMs: Float64Array,
    evidenceRow: Uint32Array,
  ): void;
  setProfile(handle: ShardHandle, rows: Uint32Array, values: Float32Array): void;
  recall(
    handle: ShardHandle,
    parameters: Float64Array,
    queries: Optional<Float32Array>,
    viewWeights: Optional<Float32Array>,
    terms: Optional<Uint32Array>,
    idf: Optional<Float32Array>,
    seeds: Optional<Uint32Array>,
    seedWeights: Optional<Float32Array>,
    typeWeights: Optional<Float32Array>,
    rowMask: Optional<Uint32Array>,
    queryFeatures: Optional<Float32Array>,
    rows: Uint32Array,
    scores: Optional<Float32Array>,
    parts: Optional<Float32Array>,
    features: Optional<Float32Array>,
    paths: Optional<Uint32Array>,
    stats: Optional<Float64Array>,
  ): number;
  readPath(path: number, nodes: Uint32Array, edges: Uint32Array, kinds: Uint32Array): number;
  search(
    handle: ShardHandle,
    queries: Float32Array,
    k: number,
    rows: Uint32Array,
    scores: Float32Array,
    counts: Uint32Array,
  ): void;
  loadModel(
    name: string,
    weights: Float32Array,
    inputs: number,
    hidden: number,
    outputs: number,
    activation: 'linear' | 'sigmoid',
  ): number;
  loadMaps(name: string, maps: Float32Array, dimension: number): number;
  forward(model: number, inputs: Float32Array, out: Float32Array): void;
  cudaStatus(): number;
  openLock(path: string): number;
  tryLock(ticket: number): number;
  releaseLock(ticket: number): void;
  closeLock(ticket: number): void;
  lockAtEnd(ticket: number): void;
  holdReaders(path: string): number;
  markReaders(ticket: number): void;
  dropReaders(ticket: number): void;
  reserveRoom(path: string, from: number, to: number): number;
  releaseRoom(path: string): void;
  openSession(library: string, path: string, threads: number): Promise<number>;
  /** 'type rank name' lines of the inputs, an empty line, those of the outputs. */
  describeSession(session: number): string;
  /** [values, shape] of each output named, one after the other. `run` names it for `stopRun`. */
  runSession(
    session: number,
    run: number,
    ids: Int32Array,
    mask: Int32Array,
    types: Int32Array | undefined,
    rows: number,
    outputs: string,
  ): Promise<Array<Float32Array | number[]>>;
  stopRun(session: number, run: number): void;
  closeSession(session: number): void;
}
