// Trained networks and query maps in the native core, and whether a CUDA device can run them.
import { addon, guarded } from './addon.js';
import type { ModelShape } from './types.js';

const CUDA_STATUSES = ['ok', 'not built', 'no device', 'out of memory', 'failed'] as const;

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

/** Whether the CUDA kernels can work here; 'not built' is the usual answer. */
export function cudaStatus(): (typeof CUDA_STATUSES)[number] {
  return CUDA_STATUSES[guarded('cudaStatus', () => addon.cudaStatus())] ?? 'failed';
}
