// The version of what is on disk: new stores are stamped, older ones stepped up, newer ones left alone.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openMemory } from '../../src/memory/memory.js';
import { Environment } from '../../src/store/environment.js';
import { type Migrations, migrate, SCHEMA_VERSION } from '../../src/store/schema.js';
import { failure } from '../support/expecting.js';
import { ADA, idsOf, newStorePath, openTiny, someTurns } from '../support/memories.js';
import { TinyEncoder } from '../support/tiny-encoder.js';

const test = suite('schema');
const MARK = Buffer.from('mark');

/** Synthetic steps that write down what they did, in the real store. */
const append = (word: string) => async (store: Environment) => {
  const before = store.tables.meta.get(MARK)?.toString() ?? '';
  await store.write(() => store.tables.meta.putSync(MARK, Buffer.from(`${before}${word} `)));
};
const STEPS: Migrations<Environment> = { 1: append('one-to-two'), 2: append('two-to-three') };

test('a new store has the current version', async () => {
  const environment = await Environment.open(newStorePath());
  assert.is(environment.schemaVersion(), SCHEMA_VERSION);
  await environment.close();
});

test('steps run in order, once, up to the target, and the turns stay', async () => {
  const path = newStorePath();
  const memory = await openTiny({ path });
  await memory.observe({ scope: ADA, turns: someTurns(5) });
  await memory.close();
  const environment = await Environment.open(path);
  await migrate(environment, STEPS, 3);
  assert.is(environment.schemaVersion(), 3);
  assert.is(environment.tables.meta.get(MARK)?.toString(), 'one-to-two two-to-three ');
  await migrate(environment, STEPS, 3);
  assert.is(environment.tables.meta.get(MARK)?.toString(), 'one-to-two two-to-three ', 'not again');
  await environment.writeSchemaVersion(SCHEMA_VERSION);
  await environment.close();
  await using again = await openTiny({ path });
  assert.is((await idsOf(again, ADA)).length, 5);
});

test('a step that fails leaves the version at which it began, and the next opening goes on from there', async () => {
  const environment = await Environment.open(newStorePath());
  const failing: Migrations<Environment> = {
    ...STEPS,
    2: async () => {
      throw new Error('power cut');
    },
  };
  const outcome = await migrate(environment, failing, 3).catch((error: Error) => error.message);
  assert.is(outcome, 'power cut');
  assert.is(environment.schemaVersion(), 2);
  await migrate(environment, STEPS, 3);
  assert.is(environment.tables.meta.get(MARK)?.toString(), 'one-to-two two-to-three ');
  await environment.close();
});

test('a version from which no step leads on is STORE_CORRUPT', async () => {
  const environment = await Environment.open(newStorePath());
  await failure('STORE_CORRUPT', () => migrate(environment, {}, 2));
  assert.is(environment.schemaVersion(), 1);
  await environment.close();
});

test('a store of a newer version is refused, naming both versions, and not a byte changes', async () => {
  const path = newStorePath();
  const environment = await Environment.open(path);
  await environment.writeSchemaVersion(SCHEMA_VERSION + 41);
  await environment.close();
  const before = readFileSync(join(path, 'data.mdb'));
  for (const readOnly of [false, true]) {
    const error = await failure('STORE_NEWER', () =>
      openMemory({ path, encoder: new TinyEncoder(), readOnly }),
    );
    assert.match(error.message, new RegExp(`version ${SCHEMA_VERSION + 41}.*knows ${SCHEMA_VERSION}`));
  }
  assert.ok(readFileSync(join(path, 'data.mdb')).equals(before));
});

test.run();
