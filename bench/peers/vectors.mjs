// Seeded unit vectors in clusters, as sentence embeddings lie.
import { seededRandom } from '../../dist/bench/random.js';

const CLUSTERS = 64;
/** Noise against the cluster's centre: neighbours of one cluster then have cosines of about .6. */
const NOISE = 0.8;

/** count x dimension, row-major. The centres are the same for every seed. */
export function clusteredUnitVectors(count, dimension, seed) {
  const normal = normalFrom(seededRandom('centres', dimension));
  const centres = Array.from({ length: CLUSTERS }, () => Float32Array.from({ length: dimension }, normal));
  const random = seededRandom('rows', dimension, seed);
  const noise = normalFrom(random);
  const rows = new Float32Array(count * dimension);
  for (let row = 0; row < count; row++) {
    const centre = centres[Math.floor(random() * CLUSTERS)];
    let squared = 0;
    for (let i = 0; i < dimension; i++) {
      const value = centre[i] + NOISE * noise();
      rows[row * dimension + i] = value;
      squared += value * value;
    }
    const norm = Math.sqrt(squared);
    for (let i = 0; i < dimension; i++) rows[row * dimension + i] /= norm;
  }
  return rows;
}

/** Box and Muller. */
function normalFrom(random) {
  return () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
