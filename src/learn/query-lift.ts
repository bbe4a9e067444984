// Trains a query lift: a linear map from requests to the statements that answer them.
import * as tf from '@tensorflow/tfjs';
import { dot } from '../encode/run/dot.js';
import { fastestBackend } from './backend.js';

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
 * InfoNCE (van den Oord et al., 2018) over the batch's positives and every example's own negatives, by gradient
 * descent with momentum from the identity: few epochs keep it close to what the encoder knows. Same examples, same
 * options, same map. O(epochs · examples · (dimension² + batch · dimension)).
 * @returns dimension x dimension, row-major; lifted = normalise(map · query).
 */
export async function trainQueryLift(
  examples: readonly LiftExample[],
  { dimension, seed, epochs }: LiftOptions,
): Promise<Float32Array> {
  await tf.setBackend(await fastestBackend());
  const map = tf.variable(tf.eye(dimension));
  const optimizer = tf.train.momentum(LEARNING_RATE, MOMENTUM);
  const random = generator(seed);
  const order = examples.map((_, place) => place);
  for (let epoch = 0; epoch < epochs; epoch++) {
    shuffle(order, random);
    for (let start = 0; start < order.length; start += BATCH) {
      const batch = order.slice(start, start + BATCH).flatMap((place) => examples[place] ?? []);
      optimizer.minimize(() => lossOf(map, batch), false, [map]);
    }
  }
  const trained = (await map.data()) as Float32Array;
  map.dispose();
  optimizer.dispose();
  return Float32Array.from(trained);
}

/** Mean of -log softmax(own); cosines over the temperature are small enough to be exponentiated as they are. */
function lossOf(map: tf.Variable, batch: readonly LiftExample[]): tf.Scalar {
  return tf.tidy(() => {
    const queries = rows(batch.map(({ query }) => query));
    const positives = batch.map(({ positive }) => positive);
    const candidates = rows([...positives, ...batch.flatMap(({ negatives }) => negatives)]);
    const moved = tf.matMul(queries, map, false, true);
    const lifted = tf.div(moved, tf.sqrt(tf.sum(tf.square(moved), 1, true)));
    const logits = tf.div(tf.matMul(lifted, candidates, false, true), TEMPERATURE);
    const own = tf.div(tf.sum(tf.mul(lifted, rows(positives)), 1), TEMPERATURE);
    return tf.mean(tf.sub(tf.log(tf.sum(tf.exp(logits), 1)), own)) as tf.Scalar;
  });
}

function rows(vectors: readonly Float32Array[]): tf.Tensor2D {
  const width = vectors[0]?.length ?? 0;
  const flat = new Float32Array(vectors.length * width);
  for (const [row, vector] of vectors.entries()) flat.set(vector, row * width);
  return tf.tensor2d(flat, [vectors.length, width]);
}

/** The query under the map, unit norm. */
export function liftQuery(map: Float32Array, query: Float32Array): Float32Array {
  const { lifted, norm } = apply(map, query);
  return lifted.map((value) => value / norm);
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
