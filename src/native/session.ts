// Models of the process: opened and run natively, off the JavaScript thread, shared by every thread that opens them.
import { addon, guarded } from './addon.js';

/** An input or output of a model; `rank` is 0 for what is no tensor. */
export interface ModelPort {
  name: string;
  type: 'float32' | 'int32' | 'int64' | 'other';
  rank: number;
}

/** One float32 output. */
export interface ModelOutput {
  values: Float32Array;
  shape: readonly number[];
}

/** Token ids of `rows` texts padded to one length, row-major; `types` absent: all zero. */
export interface TokenInput {
  ids: Int32Array;
  mask: Int32Array;
  types?: Int32Array;
  rows: number;
}

const ELEMENT_TYPES: Readonly<Record<string, ModelPort['type']>> = { 1: 'float32', 6: 'int32', 7: 'int64' };

/**
 * A model in memory. Threads that open the same file with the same number of threads share one; it goes with the last
 * of them. Running it holds no event loop, and a worker may end meanwhile.
 */
export class ModelSession {
  readonly inputs: readonly ModelPort[];
  readonly outputs: readonly ModelPort[];
  readonly #handle: number;
  #runs = 0;

  private constructor(handle: number) {
    this.#handle = handle;
    const [inputs = [], outputs = []] = guarded('describeSession', () => addon.describeSession(handle))
      .split('\n\n')
      .map((block) => block.split('\n').filter(Boolean).map(portOf));
    this.inputs = inputs;
    this.outputs = outputs;
  }

  /** `threads` bounds the cores of one operator; 0 leaves it to the runtime. Rejects with the runtime's own words. */
  static async open(library: string, path: string, threads: number): Promise<ModelSession> {
    return new ModelSession(await addon.openSession(library, path, threads));
  }

  /**
   * Runs a batch and reads the named float32 outputs, in that order. An abort ends the run before its next operator.
   * Rejects with the runtime's own words.
   */
  async run(
    { ids, mask, types, rows }: TokenInput,
    outputs: readonly string[],
    signal?: AbortSignal,
  ): Promise<ModelOutput[]> {
    const run = ++this.#runs;
    const stop = () => addon.stopRun(this.#handle, run);
    const running = addon.runSession(this.#handle, run, ids, mask, types, rows, outputs.join('\n'));
    signal?.addEventListener('abort', stop);
    const flat = await running.finally(() => signal?.removeEventListener('abort', stop));
    return outputs.map((_, place) => ({
      values: flat[2 * place] as Float32Array,
      shape: flat[2 * place + 1] as number[],
    }));
  }

  /** Runs under way finish first. */
  close(): void {
    guarded('closeSession', () => addon.closeSession(this.#handle));
  }
}

function portOf(line: string): ModelPort {
  const [type = '', rank = '', ...name] = line.split(' ');
  return { name: name.join(' '), type: ELEMENT_TYPES[type] ?? 'other', rank: Number(rank) };
}
