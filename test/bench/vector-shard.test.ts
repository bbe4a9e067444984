// Vectors in the native core find what comparing every pair finds, however many are near.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { VectorShard } from '../../bench/quality/vector-shard.js';
import { seededRandom } from '../../bench/random.js';

const DIMENSION = 12;
const ROWS = 300;

/** Thirty rows of one direction with a little noise, and others of any. */
function drawnRows(): Float32Array {
  const random = seededRandom('vector shard');
  const rows = new Float32Array(ROWS * DIMENSION);
  for (let row = 0; row < ROWS; row++) {
    const own = Array.from({ length: DIMENSION }, (_, i) => (row < 30 && i === 0 ? 5 : 0) + random() - 0.5);
    const norm = Math.hypot(...own);
    rows.set(
      own.map((value) => value / norm),
      row * DIMENSION,
    );
  }
  return rows;
}

const rows = drawnRows();
const product = (a: number, b: number): number =>
  Array.from(
    { length: DIMENSION },
    (_, i) => (rows[a * DIMENSION + i] ?? 0) * (rows[b * DIMENSION + i] ?? 0),
  ).reduce((sum, value) => sum + value);

test('every pair above the least is found with its product, none below', () => {
  const shard = new VectorShard(rows, DIMENSION);
  const near = shard.near(rows, 0.8);
  shard.close();
  assert.is(near.length, ROWS);
  assert.ok((near[0]?.length ?? 0) >= 30, 'more than the first search asks for');
  for (const [a, found] of near.entries()) {
    const defined = Array.from({ length: ROWS }, (_, b) => b).filter((b) => product(a, b) >= 0.8);
    assert.equal(
      found.map(([b]) => b).toSorted((x, y) => x - y),
      defined,
    );
    for (const [b, value] of found) assert.ok(Math.abs(value - product(a, b)) < 1e-5);
  }
});

test('the best of each query is the largest product', () => {
  const shard = new VectorShard(rows.subarray(0, 40 * DIMENSION), DIMENSION);
  const best = shard.best(rows.subarray(200 * DIMENSION));
  shard.close();
  for (const [place, value] of best.entries()) {
    const defined = Math.max(...Array.from({ length: 40 }, (_, b) => product(200 + place, b)));
    assert.ok(Math.abs(value - defined) < 1e-5);
  }
});

test('no vectors have nothing near', () => {
  const shard = new VectorShard(new Float32Array(), DIMENSION);
  assert.equal(shard.near(new Float32Array(), 0.8), []);
  shard.close();
});

test.run();
