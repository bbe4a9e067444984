// Runs one batch of token ids through a session: our own graphs, and ONNX files exported elsewhere.

import type { Pooling } from '../../contract/encoder.js';
import { OntomemError } from '../../errors.js';
import type { ModelOutput, ModelSession } from '../../native/session.js';
import { GRAPH_NAMES } from '../build/bert-graph.js';
import { poolStates } from './pooling.js';
import type { TokenBatch } from './token-batches.js';

/** What a batch of r rows, padded to s tokens, comes out as. */
export interface BatchOutput {
  /** r x dimension, unit rows. */
  vectors: Float32Array;
  /** r x s x dimension; states at padding mean nothing. Undefined when not asked for. */
  states: Float32Array | undefined;
  dimension: number;
}

export interface TokenModel {
  run(batch: TokenBatch, wantStates: boolean): Promise<BatchOutput>;
}

/** A graph of bert-graph.ts: pools inside. */
export class BuiltModel implements TokenModel {
  readonly #session: ModelSession;

  constructor(session: ModelSession) {
    this.#session = session;
  }

  async run(batch: TokenBatch, wantStates: boolean): Promise<BatchOutput> {
    const { vectors, tokenStates } = GRAPH_NAMES;
    // Naming only what is needed spares copying the token states out.
    const wanted = wantStates ? [vectors, tokenStates] : [vectors];
    const [pooled, states] = await this.#session.run({ ...batch, rows: batch.rows.length }, wanted);
    const { values, shape } = given(pooled);
    return { vectors: values, states: states?.values, dimension: shape[1] ?? 0 };
  }
}

const EXPORTED_INPUTS = ['input_ids', 'attention_mask', 'token_type_ids'] as const;

/** A graph exported elsewhere: token states out, pooled here. */
export class ExportedModel implements TokenModel {
  readonly #statesName: string;

  /** @throws ENCODER_INVALID, naming `path`, when the graph needs other inputs or has no token states. */
  readonly #session: ModelSession;
  readonly #pooling: Pooling;

  constructor(session: ModelSession, pooling: Pooling, path: string) {
    this.#session = session;
    this.#pooling = pooling;
    const refuse = (problem: string): OntomemError =>
      new OntomemError('ENCODER_INVALID', { input: path, problem });
    const foreign = session.inputs.find(({ name }) => !EXPORTED_INPUTS.some((known) => known === name));
    if (foreign !== undefined)
      throw refuse(`needs the input "${foreign.name}", none of ${EXPORTED_INPUTS.join(', ')}`);
    const states = session.outputs.find(({ rank }) => rank === 3);
    if (states === undefined) {
      const names = session.outputs.map(({ name }) => name).join(', ');
      throw refuse(`has no token states among its outputs (${names})`);
    }
    this.#statesName = states.name;
  }

  async run(batch: TokenBatch, wantStates: boolean): Promise<BatchOutput> {
    const [states] = await this.#session.run({ ...batch, rows: batch.rows.length }, [this.#statesName]);
    const { values, shape } = given(states);
    const dimension = shape[2] ?? 0;
    const vectors = poolStates(values, batch.lengths, batch.sequenceLength, dimension, this.#pooling);
    return { vectors, states: wantStates ? values : undefined, dimension };
  }
}

function given(output: ModelOutput | undefined): ModelOutput {
  if (output !== undefined) return output;
  throw new OntomemError('ENCODER_INVALID', { input: 'model output', problem: 'is missing' });
}
