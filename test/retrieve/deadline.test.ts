// Waiting with an end.
import { setTimeout as wait } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { within } from '../../src/retrieve/deadline.js';

test('what comes in time is handed on, what is late is not waited for', async () => {
  assert.is(await within(Promise.resolve(7), 50), 7);
  const begin = performance.now();
  assert.is(await within(wait(5_000, 7, { ref: false }), 20), undefined);
  assert.ok(performance.now() - begin < 2_000);
});

test('without a deadline it waits', async () => {
  assert.is(await within(wait(20, 7), Number.POSITIVE_INFINITY), 7);
});

test('a failure in time is thrown, a late one is dropped', async () => {
  try {
    await within(Promise.reject(new Error('early')), 50);
    assert.unreachable();
  } catch (error) {
    assert.is((error as Error).message, 'early');
  }
  const late = wait(30).then(() => {
    throw new Error('late');
  });
  assert.is(await within(late, 1), undefined);
  await wait(60);
});

test.run();
