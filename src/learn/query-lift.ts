// Trains a query lift: a linear map from requests to the statements that answer them.

import { dot } from '../encode/run/dot.js';

/** A request's vector with those of the statement it asks for and of statements it does not; unit norm. */
export interface LiftExample {
  query: Float32Array;
  positive: Float32Array;
  negatives: readonly Float32Array[];
}

export interface LiftOptions {
  dimension: number;
  seed: number;
  epochs: number;
}

/** Chosen with the temperature on the dev split: friends lose from 10 epochs on, implicit queries from 12. */
export const LIFT_EPOCHS = 6;
const BATCH = 64;
const LEARNING_RATE = 0.02;
const MOMENTUM = 0.9;
const TEMPERATURE = 0.12;

/**
 * InfoNCE (van den Oord et al., 2018) over the batch's positives and every example's own negatives, by
 * gradient descent with momentum from the identity: few epochs keep it close to what the encoder knows.
 * Same examples, same options, same map. O(epochs · examples · (dimension² + batch · dimension)).
 * @returns dimension x dimension, row-major; lifted = normalise(map · query).
 */
export function trainQueryLift(examples: readonly LiftExample[], options: LiftOptions): Float32Array {
  const { dimension, epochs } = options;
  const map = new Float32Array(dimension * dimension);
  for (let i = 0; i < dimension; i++) map[i * dimension + i] = 1;
  const velocity = new Float32Array(map.length);
  const random = generator(options.seed);
  const order = examples.map((_, place) => place);
  for (let epoch = 0; epoch < epochs; epoch++) {
    shuffle(order, random);
    for (let start = 0; start < order.length; start += BATCH) {
      const batch = order.slice(start, start + BATCH).flatMap((place) => examples[place] ?? []);
      const gradient = batchGradient(map, batch, dimension);
      for (let i = 0; i < map.length; i++) {
        const step = MOMENTUM * (velocity[i] ?? 0) + (gradient[i] ?? 0) / batch.length;
        velocity[i] = step;
        map[i] = (map[i] ?? 0) - LEARNING_RATE * step;
      }
    }
  }
  return map;
}

/** The query under the map, unit norm. */
export function liftQuery(map: Float32Array, query: Float32Array): Float32Array {
  const { lifted, norm } = apply(map, query);
  return lifted.map((value) => value / norm);
}

function batchGradient(map: Float32Array, batch: readonly LiftExample[], dimension: number): Float32Array {
  const gradient = new Float32Array(map.length);
  const candidates = [
    ...batch.map(({ positive }) => positive),
    ...batch.flatMap(({ negatives }) => negatives),
  ];
  for (const [own, { query }] of batch.entries()) {
    const { lifted, norm } = apply(map, query);
    const pull = softmaxPull(lifted, norm, candidates, own);
    // Through the normalisation: only what is at right angles to the lifted vector turns it.
    const along = dot(pull, lifted) / norm;
    for (let row = 0; row < dimension; row++) {
      const slope = ((pull[row] ?? 0) - (along * (lifted[row] ?? 0)) / norm) / norm;
      const offset = row * dimension;
      for (let column = 0; column < dimension; column++) {
        gradient[offset + column] = (gradient[offset + column] ?? 0) + slope * (query[column] ?? 0);
      }
    }
  }
  return gradient;
}

/** Gradient of -log softmax(own) with respect to the unit lifted vector. */
function softmaxPull(
  lifted: Float32Array,
  norm: number,
  candidates: readonly Float32Array[],
  own: number,
): Float32Array {
  const scores = candidates.map((candidate) => dot(candidate, lifted) / norm / TEMPERATURE);
  const most = scores.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const weights = scores.map((score) => Math.exp(score - most));
  const total = weights.reduce((a, b) => a + b, 0);
  const pull = new Float32Array(lifted.length);
  for (const [place, candidate] of candidates.entries()) {
    const weight = ((weights[place] ?? 0) / total - (place === own ? 1 : 0)) / TEMPERATURE;
    for (let i = 0; i < pull.length; i++) pull[i] = (pull[i] ?? 0) + weight * (candidate[i] ?? 0);
  }
  return pull;
}

function apply(map: Float32Array, query: Float32Array): { lifted: Float32Array; norm: number } {
  const dimension = query.length;
  const lifted = new Float32Array(dimension);
  for (let row = 0; row < dimension; row++) {
    lifted[row] = dot(map.subarray(row * dimension, (row + 1) * dimension), query);
  }
  return { lifted, norm: Math.sqrt(dot(lifted, lifted)) || 1 };
}

/** Fisher-Yates. */
function shuffle(items: number[], random: () => number): void {
  for (let i = items.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [items[i], items[j]] = [items[j] ?? 0, items[i] ?? 0];
  }
}

/** Numbers in [0, 1) by a linear congruential generator (Numerical Recipes). */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
