// Every step that can fail fails once: a typed error or a right result, and right answers after. A step is a read,
// a commit, a file or a rename of the store, a call of the encoder, a call of the native core.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { StepFaults } from '../support/step-faults.js';
import { everyStepFailsOnce, everyStepOfOpeningFails, VERBS } from '../support/verbs.js';

const test = suite('faults');

const uncaught: unknown[] = [];
process.on('uncaughtException', (error) => uncaught.push(error));
process.on('unhandledRejection', (error) => uncaught.push(error));

const faults = new StepFaults();

for (const verb of VERBS) {
  test(`${verb.name}: every step fails once`, async () => {
    const failed = await everyStepFailsOnce(verb, faults);
    assert.ok(
      failed > 0 || verb.name === 'close',
      'closing fails with nothing: what it leaves, the next one does',
    );
    assert.equal(uncaught, []);
  });
}

test('opening: every step fails once with a typed error, and the next opening works', async () => {
  await everyStepOfOpeningFails(faults);
  assert.equal(uncaught, []);
});

test.run();
