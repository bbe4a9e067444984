// Runs one batch of token ids through a session: our own graphs, and ONNX files exported elsewhere.

import type { Pooling } from '../../contract/encoder.js';
import { OntomemError } from '../../errors.js';
import { graphNames } from '../build/bert-graph.js';
import { type InferenceSession, Tensor } from './onnxruntime.js';
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

/** A graph of bert-graph.ts: pools inside, takes 32-bit ids. */
export class BuiltModel implements TokenModel {
  constructor(private readonly session: InferenceSession) {}

  async run(batch: TokenBatch, wantStates: boolean): Promise<BatchOutput> {
    const shape = [batch.rows.length, batch.sequenceLength];
    const feeds = {
      [graphNames.inputIds]: new Tensor('int32', batch.ids, shape),
      [graphNames.tokenTypeIds]: new Tensor('int32', new Int32Array(batch.ids.length), shape),
      [graphNames.attentionMask]: new Tensor('int32', batch.mask, shape),
    };
    const { vectors, tokenStates } = graphNames;
    // Naming only what is needed spares copying the token states out.
    const output = await this.session.run(feeds, wantStates ? [vectors, tokenStates] : [vectors]);
    const pooled = floats(output[vectors]);
    return {
      vectors: pooled.data,
      states: wantStates ? floats(output[tokenStates]).data : undefined,
      dimension: pooled.dims[1] ?? 0,
    };
  }
}

const exportedInputs = ['input_ids', 'attention_mask', 'token_type_ids'] as const;

/** A graph exported elsewhere: 64-bit ids in, token states out, pooled here. */
export class ExportedModel implements TokenModel {
  private readonly statesName: string;

  /** Throws ENCODER_INVALID, naming `path`, when the graph needs other inputs or has no token states. */
  constructor(
    private readonly session: InferenceSession,
    private readonly pooling: Pooling,
    path: string,
  ) {
    const refuse = (problem: string): OntomemError =>
      new OntomemError('ENCODER_INVALID', { input: path, problem });
    const foreign = session.inputNames.find((name) => !exportedInputs.some((known) => known === name));
    if (foreign !== undefined)
      throw refuse(`needs the input "${foreign}", none of ${exportedInputs.join(', ')}`);
    const states = session.outputMetadata.find((output) => output.isTensor && output.shape.length === 3);
    if (states === undefined) {
      throw refuse(`has no token states among its outputs (${session.outputNames.join(', ')})`);
    }
    this.statesName = states.name;
  }

  async run(batch: TokenBatch, wantStates: boolean): Promise<BatchOutput> {
    const shape = [batch.rows.length, batch.sequenceLength];
    const values = {
      input_ids: () => BigInt64Array.from(batch.ids, BigInt),
      attention_mask: () => BigInt64Array.from(batch.mask, BigInt),
      token_type_ids: () => new BigInt64Array(batch.ids.length),
    };
    const feeds: Record<string, Tensor> = {};
    for (const name of exportedInputs) {
      if (this.session.inputNames.includes(name)) feeds[name] = new Tensor('int64', values[name](), shape);
    }
    const output = await this.session.run(feeds, [this.statesName]);
    const { data, dims } = floats(output[this.statesName]);
    const dimension = dims[2] ?? 0;
    const vectors = poolStates(data, batch.lengths, batch.sequenceLength, dimension, this.pooling);
    return { vectors, states: wantStates ? data : undefined, dimension };
  }
}

function floats(tensor: Tensor | undefined): { data: Float32Array; dims: readonly number[] } {
  if (tensor?.data instanceof Float32Array) return { data: tensor.data, dims: tensor.dims };
  throw new OntomemError('ENCODER_INVALID', {
    input: 'model output',
    problem: `is ${tensor?.type}, not float32`,
  });
}
