// The inner product of two vectors, for the few that never reach the native core.

/** Of the first a.length numbers. O(a.length). */
export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}
