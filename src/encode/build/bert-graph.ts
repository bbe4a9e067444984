// Builds the ONNX graph of a BERT-family encoder from its configuration and its tensors.

import type { Pooling } from '../../contract/encoder.js';
import { OntomemError } from '../../errors.js';
import type { BertConfig } from './bert-config.js';
import { type AttributeValue, ELEMENT_TYPE, type GraphNode, OnnxWriter } from './onnx-model.js';
import type { SafetensorsFile, Tensor } from './safetensors.js';

/** Part of every cached model's key: raise it whenever the same weights give another graph. */
export const BUILDER_VERSION = 1;

/** Names of the graph's inputs (int32) and outputs (float32). */
export const GRAPH_NAMES = {
  inputIds: 'input_ids',
  tokenTypeIds: 'token_type_ids',
  attentionMask: 'attention_mask',
  /** [batch, sequence, hidden] */
  tokenStates: 'token_states',
  /** [batch, hidden], rows of unit norm */
  vectors: 'vectors',
} as const;

/** onnxruntime's own operator domain: one kernel each for attention, skip + layer norm, bias + GELU. */
const FUSED_DOMAIN = 'com.microsoft';

/** Prefixes under which checkpoints store the encoder: bare, or as part of a task model. */
const TENSOR_PREFIXES = ['', 'bert.', 'roberta.', 'model.'];
const WORD_TABLE = 'embeddings.word_embeddings.weight';

/**
 * Yields the pieces of an ONNX model, in the order to write them (see OnnxWriter): first the nodes, then one
 * initialiser at a time, so that memory stays at a few tensors however large the checkpoint.
 *
 * The graph computes post-layer-norm BERT (Devlin et al., 2019): inputs `input_ids`, `token_type_ids`,
 * `attention_mask` [batch, sequence]; outputs `token_states` [batch, sequence, hidden] and `vectors`
 * [batch, hidden] = L2-normalised mean over unmasked tokens, or first token. It is written with onnxruntime's
 * fused operators directly, since its optimiser finds them only in graphs shaped as PyTorch exports them.
 * @throws ENCODER_INVALID, naming the tensor, when one is missing or has another shape than the configuration.
 */
export async function* bertModel(
  weights: SafetensorsFile,
  config: BertConfig,
  pooling: Pooling,
): AsyncGenerator<Uint8Array> {
  const graph = new BertGraph(weights, config);
  graph.addEmbeddings();
  for (let layer = 0; layer < config.layers; layer++) graph.addLayer(layer);
  graph.addPooling(pooling);

  const writer = new OnnxWriter();
  yield writer.outline({
    name: 'bert',
    producerVersion: String(BUILDER_VERSION),
    operatorSets: { '': 17, [FUSED_DOMAIN]: 1 },
    inputs: [GRAPH_NAMES.inputIds, GRAPH_NAMES.tokenTypeIds, GRAPH_NAMES.attentionMask].map((name) => ({
      name,
      type: ELEMENT_TYPE.int32,
      shape: ['batch', 'sequence'],
    })),
    outputs: [
      {
        name: GRAPH_NAMES.tokenStates,
        type: ELEMENT_TYPE.float,
        shape: ['batch', 'sequence', config.hiddenSize],
      },
      { name: GRAPH_NAMES.vectors, type: ELEMENT_TYPE.float, shape: ['batch', config.hiddenSize] },
    ],
    nodes: graph.nodes,
  });
  for (const [name, load] of graph.initializers) {
    const { shape, data } = await load();
    yield writer.tensor(name, shape, data);
  }
}

type Initializer = () => Promise<{ shape: readonly number[]; data: Float32Array | BigInt64Array }>;

/** Collects nodes and initialisers; `states` names the value that the next node continues from. */
class BertGraph {
  readonly nodes: GraphNode[] = [];
  readonly initializers = new Map<string, Initializer>();
  #states = '';
  readonly #prefix: string;

  readonly #weights: SafetensorsFile;
  readonly #config: BertConfig;

  constructor(
    weights: SafetensorsFile,
    config: BertConfig,
  ) {
    this.#weights = weights;
    this.#config = config;
    const prefix = TENSOR_PREFIXES.find((candidate) => weights.has(candidate + WORD_TABLE));
    if (prefix === undefined) throw this.#refuse(`has no tensor "${WORD_TABLE}": not a BERT-family checkpoint`);
    this.#prefix = prefix;
  }

  addEmbeddings(): void {
    const { hiddenSize, firstPosition, maxTokens, vocabularySize } = this.#config;
    const word = this.#weight(WORD_TABLE, [vocabularySize, hiddenSize]);
    const positions = 'embeddings.position_embeddings.weight';
    this.#expect(positions, [firstPosition + maxTokens, hiddenSize]);
    const position = this.#initializer('positions', async () => {
      const table = await this.#read(positions);
      return { shape: [maxTokens, hiddenSize], data: table.data.subarray(firstPosition * hiddenSize) };
    });
    const type = this.#weight('embeddings.token_type_embeddings.weight', [undefined, hiddenSize]);
    const norm = this.#layerNorm('embeddings.LayerNorm');
    this.#states = this.#node(
      'EmbedLayerNormalization',
      [GRAPH_NAMES.inputIds, GRAPH_NAMES.tokenTypeIds, word, position, type, ...norm],
      'embeddings',
      { epsilon: { float: this.#config.layerNormEpsilon } },
      // The second output is a mask index, which the attention nodes take from the attention mask instead.
      ['mask_index'],
    );
  }

  addLayer(layer: number): void {
    const { hiddenSize, feedForwardSize, heads } = this.#config;
    const path = `encoder.layer.${layer}`;
    const input = this.#states;
    const attention = this.#node(
      'Attention',
      [input, ...this.#queryKeyValue(`${path}.attention.self`), GRAPH_NAMES.attentionMask],
      `${path}.attention`,
      { num_heads: heads },
    );
    const attended = this.#addAndNorm(`${path}.attention.output`, attention, input, hiddenSize);
    const expanded = this.#activate(`${path}.intermediate.dense`, attended, feedForwardSize);
    this.#states = this.#addAndNorm(`${path}.output`, expanded, attended, feedForwardSize);
  }

  addPooling(pooling: Pooling): void {
    this.nodes.push({ type: 'Identity', inputs: [this.#states], outputs: [GRAPH_NAMES.tokenStates] });
    const pooled = pooling === 'mean' ? this.#sumOfUnmasked() : this.#firstToken();
    this.nodes.push({
      type: 'LpNormalization',
      inputs: [pooled],
      outputs: [GRAPH_NAMES.vectors],
      attributes: { axis: -1, p: 2 },
    });
  }

  /** The mean but for its scale, which the L2 normalisation after it takes out: mask [b,1,s] x states [b,s,d]. */
  #sumOfUnmasked(): string {
    const axis = this.#integers('axis_1', [1]);
    const mask = this.#node('Cast', [GRAPH_NAMES.attentionMask], 'mask', { to: ELEMENT_TYPE.float });
    const row = this.#node('Unsqueeze', [mask, axis], 'mask_row');
    const sum = this.#node('MatMul', [row, this.#states], 'sum_row');
    return this.#node('Squeeze', [sum, axis], 'sum');
  }

  #firstToken(): string {
    const zero = this.#integers('token_0', [0]);
    const row = this.#node('Gather', [this.#states, zero], 'first_row', { axis: 1 });
    return this.#node('Squeeze', [row, this.#integers('axis_1', [1])], 'first');
  }

  /** Weight [hidden, 3 x hidden] and bias [3 x hidden] of the joint query, key and value projection. */
  #queryKeyValue(path: string): [weight: string, bias: string] {
    const { hiddenSize } = this.#config;
    const parts = ['query', 'key', 'value'];
    for (const part of parts) {
      this.#expect(`${path}.${part}.weight`, [hiddenSize, hiddenSize]);
      this.#expect(`${path}.${part}.bias`, [hiddenSize]);
    }
    const weight = this.#initializer(`${path}.qkv.weight`, async () => {
      const joined = new Float32Array(3 * hiddenSize * hiddenSize);
      for (const [i, part] of parts.entries()) {
        const { data } = await this.#read(`${path}.${part}.weight`);
        transposeInto(joined, data, hiddenSize, hiddenSize, 3 * hiddenSize, i * hiddenSize);
      }
      return { shape: [hiddenSize, 3 * hiddenSize], data: joined };
    });
    const bias = this.#initializer(`${path}.qkv.bias`, async () => {
      const joined = new Float32Array(3 * hiddenSize);
      for (const [i, part] of parts.entries()) {
        joined.set((await this.#read(`${path}.${part}.bias`)).data, i * hiddenSize);
      }
      return { shape: [3 * hiddenSize], data: joined };
    });
    return [weight, bias];
  }

  #addAndNorm(path: string, input: string, residual: string, inputSize: number): string {
    const { hiddenSize, layerNormEpsilon } = this.#config;
    const product = this.#product(`${path}.dense`, input, inputSize, hiddenSize);
    const bias = this.#weight(`${path}.dense.bias`, [hiddenSize]);
    const norm = this.#layerNorm(`${path}.LayerNorm`);
    return this.#node('SkipLayerNormalization', [product, residual, ...norm, bias], path, {
      epsilon: { float: layerNormEpsilon },
    });
  }

  #activate(path: string, input: string, size: number): string {
    const product = this.#product(path, input, this.#config.hiddenSize, size);
    const bias = this.#weight(`${path}.bias`, [size]);
    switch (this.#config.activation) {
      case 'gelu':
        return this.#node('BiasGelu', [product, bias], `${path}.gelu`);
      case 'gelu-tanh':
        return this.#node('FastGelu', [product, bias], `${path}.gelu`);
      case 'relu':
        return this.#node('Relu', [this.#node('Add', [product, bias], `${path}.sum`)], `${path}.relu`);
    }
  }

  /** x W^T: checkpoints hold W as [out, in], and onnxruntime packs a constant [in, out] once for its GEMM. */
  #product(path: string, input: string, inputSize: number, outputSize: number): string {
    this.#expect(`${path}.weight`, [outputSize, inputSize]);
    const weight = this.#initializer(`${path}.weight`, async () => {
      const { data } = await this.#read(`${path}.weight`);
      const transposed = new Float32Array(data.length);
      transposeInto(transposed, data, outputSize, inputSize, outputSize, 0);
      return { shape: [inputSize, outputSize], data: transposed };
    });
    return this.#node('MatMul', [input, weight], `${path}.product`);
  }

  #layerNorm(path: string): [scale: string, bias: string] {
    const shape = [this.#config.hiddenSize];
    // Checkpoints converted from TensorFlow name the pair gamma and beta.
    const converted = this.#weights.has(`${this.#prefix}${path}.gamma`);
    const [scale, bias] = converted ? ['gamma', 'beta'] : ['weight', 'bias'];
    return [this.#weight(`${path}.${scale}`, shape), this.#weight(`${path}.${bias}`, shape)];
  }

  #weight(name: string, shape: readonly (number | undefined)[]): string {
    this.#expect(name, shape);
    return this.#initializer(name, () => this.#read(name));
  }

  #integers(name: string, values: readonly number[]): string {
    const data = BigInt64Array.from(values, BigInt);
    return this.#initializer(name, async () => ({ shape: [values.length], data }));
  }

  #initializer(name: string, load: Initializer): string {
    this.initializers.set(name, load);
    return name;
  }

  #node(
    type: string,
    inputs: readonly string[],
    output: string,
    attributes: Readonly<Record<string, AttributeValue>> = {},
    furtherOutputs: readonly string[] = [],
  ): string {
    const name = `${output}.out`;
    const domain = FUSED_TYPES.has(type) ? FUSED_DOMAIN : '';
    this.nodes.push({ type, inputs, outputs: [name, ...furtherOutputs], attributes, domain });
    return name;
  }

  /**
   * Holds a tensor to its shape; undefined leaves an extent open. Done for all of them before the first is
   * read: what is allocated then is what the file, whose size is known, really holds.
   */
  #expect(name: string, shape: readonly (number | undefined)[]): void {
    const found = this.#weights.shapeOf(this.#prefix + name);
    if (found === undefined) throw this.#refuse(`has no tensor "${this.#prefix}${name}"`);
    const fits =
      found.length === shape.length &&
      shape.every((extent, axis) => extent === undefined || extent === found[axis]);
    if (fits) return;
    const expected = shape.map((extent) => extent ?? 'any').join(', ');
    throw this.#refuse(`tensor "${name}" is [${found.join(', ')}] where [${expected}] is needed`);
  }

  #read(name: string): Promise<Tensor> {
    return this.#weights.read(this.#prefix + name);
  }

  #refuse(problem: string): OntomemError {
    return new OntomemError('ENCODER_INVALID', { input: this.#weights.path, problem });
  }
}

const FUSED_TYPES = new Set([
  'EmbedLayerNormalization',
  'Attention',
  'SkipLayerNormalization',
  'BiasGelu',
  'FastGelu',
]);

/** Writes the transpose of `source` [rows, columns] into `target` at column `offset`, `stride` floats a row. */
function transposeInto(
  target: Float32Array,
  source: Float32Array,
  rows: number,
  columns: number,
  stride: number,
  offset: number,
): void {
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      target[column * stride + offset + row] = source[row * columns + column] as number;
    }
  }
}
