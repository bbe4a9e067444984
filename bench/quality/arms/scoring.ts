// Arithmetic that the baselines share: inner products, standardised scores, the order of equals.

/** Inner product of every row with one vector. O(rows x dimension). */
export function innerProducts(rows: Float32Array, vector: Float32Array): Float32Array {
  const dimension = vector.length;
  const products = new Float32Array(rows.length / dimension);
  for (let row = 0; row < products.length; row++) products[row] = innerProduct(rows, row, vector);
  return products;
}

/** Inner product of row `row` with a vector of the rows' dimension. Four sums, so that additions overlap. */
export function innerProduct(rows: Float32Array, row: number, vector: Float32Array): number {
  const dimension = vector.length;
  const start = row * dimension;
  let [a, b, c, d] = [0, 0, 0, 0];
  let i = 0;
  for (; i + 4 <= dimension; i += 4) {
    a += (rows[start + i] ?? 0) * (vector[i] ?? 0);
    b += (rows[start + i + 1] ?? 0) * (vector[i + 1] ?? 0);
    c += (rows[start + i + 2] ?? 0) * (vector[i + 2] ?? 0);
    d += (rows[start + i + 3] ?? 0) * (vector[i + 3] ?? 0);
  }
  for (; i < dimension; i++) a += (rows[start + i] ?? 0) * (vector[i] ?? 0);
  return a + b + c + d;
}

export function rowOf(rows: Float32Array, row: number, dimension: number): Float32Array {
  return rows.subarray(row * dimension, (row + 1) * dimension);
}

/** Zero mean and unit variance over `positions`; equal scores all become 0. Other places are left 0. */
export function standardised(scores: Float32Array, positions: readonly number[]): Float32Array {
  let sum = 0;
  for (const position of positions) sum += scores[position] ?? 0;
  const mean = sum / positions.length;
  let squares = 0;
  for (const position of positions) squares += ((scores[position] ?? 0) - mean) ** 2;
  const deviation = Math.sqrt(squares / positions.length);
  const result = new Float32Array(scores.length);
  if (!(deviation > Number.EPSILON)) return result;
  for (const position of positions) result[position] = ((scores[position] ?? 0) - mean) / deviation;
  return result;
}

/** Sum of weight x scores, place by place. */
export function weightedSum(...parts: ReadonlyArray<readonly [number, Float32Array]>): Float32Array {
  const result = new Float32Array(parts[0]?.[1].length ?? 0);
  for (const [weight, scores] of parts) {
    for (let i = 0; i < result.length; i++) result[i] = (result[i] ?? 0) + weight * (scores[i] ?? 0);
  }
  return result;
}

/** Unit-norm sum of weight x vector; a sum of zero stays zero. */
export function unitSum(...parts: ReadonlyArray<readonly [number, Float32Array]>): Float32Array {
  const sum = weightedSum(...parts);
  let squared = 0;
  for (const value of sum) squared += value * value;
  const norm = Math.sqrt(squared);
  return norm > 0 ? sum.map((value) => value / norm) : sum;
}

/** The `count` of `positions` with the highest scores, best first; equals in the order given. O(n log n). */
export function highest(scores: Float32Array, positions: readonly number[], count: number): number[] {
  return positions.toSorted((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0)).slice(0, count);
}
