// One recall, and the single arms of it, in the native core.
import { addon, guarded } from './addon.js';
import { NONE, RECALL_PARAMETERS, type RecallParameter } from './layout.js';
import type { NativeRecallOutput, NativeRecallRequest, PathStep, ShardHandle } from './types.js';

/** A recall's parameters as the addon reads them. */
export function packRecallParameters(parameters: Record<RecallParameter, number>): Float64Array {
  return Float64Array.from(RECALL_PARAMETERS, (name) => parameters[name]);
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
