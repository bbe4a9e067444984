// Pooling outside the graph: the right tokens, and unit rows.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { poolStates } from '../../src/encode/run/pooling.js';
import { furthest } from './expecting.js';

// Two rows of three tokens and two dimensions; the first row's last token is padding, with numbers in it.
const states = Float32Array.of(3, 0, 0, 4, 99, 99, 1, 1, 1, 1, 1, 1);

test('mean pooling takes every token of the row and none of its padding', () => {
  const diagonal = Math.SQRT1_2;
  assert.ok(furthest(poolStates(states, [2, 3], 3, 2, 'mean'), [0.6, 0.8, diagonal, diagonal]) < 1e-6);
});

test('first-token pooling takes the first token', () => {
  const diagonal = Math.SQRT1_2;
  assert.ok(furthest(poolStates(states, [2, 3], 3, 2, 'cls'), [1, 0, diagonal, diagonal]) < 1e-6);
});

test('a row of zeros stays zero', () => {
  assert.equal([...poolStates(new Float32Array(4), [2], 2, 2, 'mean')], [0, 0]);
});

test.run();
