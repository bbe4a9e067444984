// BERT written down once more, plainly and in float64: what the graph builder is held against.

import type { TinyModel } from './tiny-bert.js';

type Matrix = number[][];

/** Token states [tokens][hidden] of one unpadded sequence of token type 0. */
export function referenceStates(model: TinyModel, ids: readonly number[]): Matrix {
  const { config } = model;
  const first = config.model_type === 'bert' ? 0 : config.pad_token_id + 1;
  const word = matrix(model, 'embeddings.word_embeddings.weight');
  const position = matrix(model, 'embeddings.position_embeddings.weight');
  const type = row(matrix(model, 'embeddings.token_type_embeddings.weight'), 0);
  let states = ids.map((id, at) => sum(sum(row(word, id), row(position, first + at)), type));
  states = states.map((state) => norm(model, 'embeddings.LayerNorm', state));
  for (let layer = 0; layer < config.num_hidden_layers; layer++) {
    states = layerStates(model, `encoder.layer.${layer}`, states);
  }
  return states;
}

/** The pooled unit vector of token states. */
export function referenceVector(states: Matrix, pooling: 'mean' | 'cls'): number[] {
  const pooled =
    pooling === 'cls'
      ? row(states, 0)
      : row(states, 0).map(
          (_, i) => states.reduce((total, state) => total + value(state, i), 0) / states.length,
        );
  const length = Math.sqrt(pooled.reduce((total, x) => total + x * x, 0));
  return pooled.map((x) => x / length);
}

function layerStates(model: TinyModel, path: string, states: Matrix): Matrix {
  const self = `${path}.attention.self`;
  const [query, key, content] = ['query', 'key', 'value'].map((part) =>
    states.map((state) => linear(model, `${self}.${part}`, state)),
  ) as [Matrix, Matrix, Matrix];
  const width = model.config.hidden_size / model.config.num_attention_heads;
  const attended = query.map((asking) => {
    const heads: number[] = [];
    for (let start = 0; start < model.config.hidden_size; start += width) {
      const part = (vector: number[]): number[] => vector.slice(start, start + width);
      const weights = softmax(key.map((other) => dot(part(asking), part(other)) / Math.sqrt(width)));
      for (let i = start; i < start + width; i++) {
        heads.push(content.reduce((total, other, at) => total + value(weights, at) * value(other, i), 0));
      }
    }
    return heads;
  });
  return states.map((state, at) => {
    const mixed = linear(model, `${path}.attention.output.dense`, row(attended, at));
    const middle = norm(model, `${path}.attention.output.LayerNorm`, sum(mixed, state));
    const inner = linear(model, `${path}.intermediate.dense`, middle).map(
      activation(model.config.hidden_act),
    );
    return norm(model, `${path}.output.LayerNorm`, sum(linear(model, `${path}.output.dense`, inner), middle));
  });
}

function activation(name: string): (x: number) => number {
  if (name === 'relu') return (x) => Math.max(0, x);
  if (name === 'gelu') return (x) => (x * (1 + erf(x / Math.SQRT2))) / 2;
  return (x) => (x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)))) / 2;
}

/** The Maclaurin series of the error function; beyond 4 it is 1 to double precision's eighth digit. */
function erf(x: number): number {
  if (Math.abs(x) > 4) return Math.sign(x);
  let term = x;
  let total = x;
  for (let n = 1; n < 100; n++) {
    term *= -(x * x) / n;
    total += term / (2 * n + 1);
  }
  return (2 / Math.sqrt(Math.PI)) * total;
}

function linear(model: TinyModel, path: string, input: number[]): number[] {
  const bias = vector(model, `${path}.bias`);
  return matrix(model, `${path}.weight`).map((weights, i) => dot(weights, input) + value(bias, i));
}

function norm(model: TinyModel, path: string, input: number[]): number[] {
  const mean = input.reduce((total, x) => total + x, 0) / input.length;
  const variance = input.reduce((total, x) => total + (x - mean) ** 2, 0) / input.length;
  const scale = vector(model, `${path}.weight`);
  const bias = vector(model, `${path}.bias`);
  const deviation = Math.sqrt(variance + model.config.layer_norm_eps);
  return input.map((x, i) => ((x - mean) / deviation) * value(scale, i) + value(bias, i));
}

function softmax(scores: number[]): number[] {
  const exponentials = scores.map((score) => Math.exp(score - Math.max(...scores)));
  const total = exponentials.reduce((a, b) => a + b, 0);
  return exponentials.map((x) => x / total);
}

function vector(model: TinyModel, name: string): number[] {
  const tensor = model.tensors.get(name);
  if (tensor === undefined) throw new Error(`the test model has no ${name}`);
  return [...tensor.data];
}

function matrix(model: TinyModel, name: string): Matrix {
  const flat = vector(model, name);
  const columns = model.tensors.get(name)?.shape[1] ?? 1;
  return Array.from({ length: flat.length / columns }, (_, i) => flat.slice(i * columns, (i + 1) * columns));
}

function row(rows: Matrix, at: number): number[] {
  const found = rows[at];
  if (found === undefined) throw new Error(`no row ${at} of ${rows.length}`);
  return found;
}

function value(values: number[], at: number): number {
  return values[at] ?? Number.NaN;
}

function sum(a: number[], b: number[]): number[] {
  return a.map((x, i) => x + value(b, i));
}

function dot(a: number[], b: number[]): number {
  return a.reduce((total, x, i) => total + x * value(b, i), 0);
}
