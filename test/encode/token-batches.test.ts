// Batches hold every sequence once, unmixed, within the budget, and with little padding.

import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { tokenBatches } from '../../src/encode/run/token-batches.js';

const sequences = fc.array(fc.array(fc.integer({ min: 1, max: 999 }), { minLength: 1, maxLength: 40 }));

test('every sequence comes back once, under its own place, with its mask', () => {
  fc.assert(
    fc.property(sequences, fc.integer({ min: 1, max: 200 }), (list, budget) => {
      const seen = new Map<number, number[]>();
      for (const batch of tokenBatches(list, budget)) {
        for (const [i, row] of batch.rows.entries()) {
          const at = i * batch.sequenceLength;
          const mask = batch.mask.subarray(at, at + batch.sequenceLength);
          assert.equal(
            [...mask].sort((a, b) => b - a),
            [...mask],
          );
          const length = mask.reduce((a, b) => a + b, 0);
          assert.is(length, batch.lengths[i]);
          assert.not(seen.has(row));
          seen.set(row, [...batch.ids.subarray(at, at + length)]);
        }
      }
      assert.equal(
        list.map((_, row) => seen.get(row)),
        list,
      );
    }),
  );
});

test('a batch of several stays within the budget, and lengths never fall from batch to batch', () => {
  fc.assert(
    fc.property(sequences, fc.integer({ min: 1, max: 200 }), (list, budget) => {
      let longest = 0;
      for (const { rows, ids, lengths } of tokenBatches(list, budget)) {
        if (rows.length > 1) assert.ok(ids.length <= budget);
        assert.ok(Math.min(...lengths) >= longest);
        longest = Math.max(...lengths);
      }
    }),
  );
});

test.run();
