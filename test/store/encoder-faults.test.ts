// Encoders that fail once: a tokenizer, a run, a load of a model; by real sessions of onnxruntime.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openEncoder } from '../../src/encode/open-encoder.js';
import { makeTinyModel } from '../encode/tiny-bert.js';
import { all } from '../support/expecting.js';
import { BO, openTiny, someTurns } from '../support/memories.js';
import { StepFaults } from '../support/step-faults.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { everyStepFailsOnce, everyStepOfOpeningFails, VERBS, type Verb } from '../support/verbs.js';

const test = suite('encoder faults');
const STEPS = /tokenizer|Session/;

const { folder } = makeTinyModel(temporaryFolder('model'));
let encoder: string | Awaited<ReturnType<typeof openEncoder>> = folder;
const faults = new StepFaults(() => encoder, STEPS);
const ENCODING = VERBS.filter(({ name }) => /^observe$|recallMany/.test(name));

/** Its turns are encoded again. */
async function foreignImport(): Promise<Verb> {
  await using other = await openTiny();
  await other.observe({ scope: BO, turns: someTurns(5) });
  const records = await all(other.export({ scope: BO }));
  return { name: 'import', isRepeatable: true, run: (memory) => memory.import({ records, scope: BO }) };
}

test('opening a folder: every step fails once, and the next opening works', () =>
  everyStepOfOpeningFails(faults));

test('a small model: every step of a call fails once', async () => {
  for (const verb of [...ENCODING, await foreignImport()]) {
    assert.ok((await everyStepFailsOnce(verb, faults)) > 0, verb.name);
  }
});

test('the encoder of the package: every step of a call fails once', async () => {
  const opened = await openEncoder();
  encoder = opened;
  for (const verb of ENCODING)
    assert.ok((await everyStepFailsOnce({ ...verb, turns: 8 }, faults)) > 0, verb.name);
  await opened.close();
});

test.run();
