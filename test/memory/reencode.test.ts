// A store belongs to one encoder; another one is refused until every vector is its own.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { OntomemError } from '../../src/errors.js';
import { openMemory } from '../../src/memory/memory.js';
import { all, failure, present } from '../support/expecting.js';
import { ADA, BO, newStorePath, openTiny, ranking, someTurns } from '../support/memories.js';
import { runHelper } from '../support/processes.js';
import { TinyEncoder } from '../support/tiny-encoder.js';

const test = suite('encoders of a store');
const first = () => new TinyEncoder({ name: 'first', dimension: 32, seed: 1 });
const turnsEncoded = (encoder: TinyEncoder) => encoder.calls.flat().filter((text) => /word\d/.test(text));
const second = () => new TinyEncoder({ name: 'second', dimension: 48, seed: 2 });

async function storeOf(encoder: TinyEncoder, count = 600): Promise<string> {
  const path = newStorePath();
  await using memory = await openTiny({ path, encoder });
  await memory.observe({ scope: ADA, turns: someTurns(count) });
  await memory.observe({ scope: BO, turns: someTurns(20) });
  return path;
}

/** Re-encodes with an encoder that dies in its n-th call. */
async function interrupt(path: string, encoder: TinyEncoder, calls: number): Promise<void> {
  const dying = new TinyEncoder({
    name: encoder.identity.name,
    dimension: encoder.identity.dimension,
    seed: Number.parseInt(encoder.identity.sha256, 16),
    before: () => {
      if (dying.calls.length >= calls) throw new Error('killed');
    },
  });
  const outcome = await openMemory({ path, encoder: dying, reencode: true }).catch((error: Error) => error);
  assert.match(String(outcome), /killed/);
}

test('another encoder is refused, naming both and the command that re-encodes; nothing changes', async () => {
  const path = await storeOf(first());
  const others = [
    second(),
    new TinyEncoder({ name: 'first', dimension: 32, seed: 9 }),
    new TinyEncoder({ name: 'first', dimension: 64, seed: 1 }),
  ];
  for (const encoder of others) {
    for (const readOnly of [false, true]) {
      const error = await failure('ENCODER_MISMATCH', () => openMemory({ path, encoder, readOnly }));
      assert.ok(error.message.includes('first (32-d'), error.message);
      assert.ok(error.message.includes(`${encoder.identity.name} (${encoder.identity.dimension}-d`));
      assert.ok(
        error.message.includes(`ontomem reencode --store ${path} --encoder ${encoder.identity.name}`),
      );
    }
  }
  await using again = await openTiny({ path, encoder: new TinyEncoder({ name: 'renamed', seed: 1 }) });
  assert.is((await again.stats()).turns, 620, 'the same vectors under another name are the same encoder');
});

test('after a re-encode the store answers as if it had been written with the new encoder', async () => {
  const path = await storeOf(first());
  const fresh = await storeOf(second());
  const encoder = second();
  {
    await using memory = await openMemory({ path, encoder, reencode: true });
    assert.is((await memory.stats()).encoder.name, 'second');
  }
  assert.is(turnsEncoded(encoder).length, 620, 'every turn once');
  await using reencoded = await openTiny({ path, encoder: second() });
  await using reference = await openTiny({ path: fresh, encoder: second() });
  for (const query of ['tea in the garden', 'word33', 'violin']) {
    assert.equal(await ranking(reencoded, ADA, query), await ranking(reference, ADA, query));
    assert.equal(await ranking(reencoded, BO, query), await ranking(reference, BO, query));
  }
  await failure('ENCODER_MISMATCH', () => openMemory({ path, encoder: first(), readOnly: true }));
});

test('an interrupted re-encode is refused with both encoders, and can be finished', async () => {
  const path = await storeOf(first());
  await interrupt(path, second(), 2);
  for (const encoder of [first(), second()]) {
    const error = await failure('ENCODER_MISMATCH', () => openMemory({ path, encoder }));
    assert.ok(error.message.includes(`ontomem reencode --store ${path} --encoder second`), error.message);
    await failure('ENCODER_MISMATCH', () => openMemory({ path, encoder, readOnly: true }));
  }
  {
    await using finished = await openMemory({ path, encoder: second(), reencode: true });
    assert.is((await finished.stats()).turns, 620);
  }
  await using again = await openTiny({ path, encoder: second() });
  assert.ok((await ranking(again, ADA, 'word5')).length > 0);
});

test('going back to the first encoder after an interrupted re-encode encodes everything again', async () => {
  const path = await storeOf(first());
  await interrupt(path, second(), 2);
  {
    await using back = await openMemory({ path, encoder: first(), reencode: true });
    assert.is((await back.stats()).encoder.name, 'first');
  }
  await using back = await openTiny({ path, encoder: first() });
  await using reference = await openTiny({ path: await storeOf(first()), encoder: first() });
  for (const query of ['tea in the garden', 'word3', 'train to Lisbon']) {
    assert.equal(await ranking(back, ADA, query), await ranking(reference, ADA, query));
  }
});

test('a reader that was open during a re-encode refuses to mix the vectors of two encoders', async () => {
  const path = await storeOf(first());
  await using reader = await openTiny({ path, encoder: first(), readOnly: true });
  assert.ok((await ranking(reader, ADA, 'tea')).length > 0);
  const { code, stderr } = await runHelper('reencode', [path, 'second', '48', '2']);
  assert.is(code, 0, stderr);
  await failure('ENCODER_MISMATCH', () => reader.recall({ scope: ADA, query: 'tea' }));
});

test('re-encoding with the encoder of the store encodes nothing', async () => {
  const path = await storeOf(first(), 10);
  const encoder = first();
  await (await openMemory({ path, encoder, reencode: true })).close();
  assert.is(turnsEncoded(encoder).length, 0);
});

test('a reader opened before a re-encoding exports nothing and counts nothing under the old name', async () => {
  const path = await storeOf(first(), 40);
  await using reader = await openTiny({ path, encoder: first(), readOnly: true });
  await using late = await openTiny({ path, encoder: first(), readOnly: true });
  const begun = late.export({ scope: ADA });
  await begun.next();
  await (await openMemory({ path, encoder: second(), reencode: true })).close();
  await failure('ENCODER_MISMATCH', () => all(reader.export({ scope: ADA })));
  await failure('ENCODER_MISMATCH', () => reader.stats());
  await failure('ENCODER_MISMATCH', () => reader.stats({ scope: ADA }));
  await failure('ENCODER_MISMATCH', () => all(begun));
});

test('an archive of another encoder is encoded again on import', async () => {
  await using source = await openTiny({ path: await storeOf(first(), 40), encoder: first() });
  const records = await all(source.export({ scope: ADA }));
  const encoder = second();
  await using target = await openTiny({ encoder });
  await target.import({ records });
  assert.is(turnsEncoded(encoder).length, 40);
  await using reference = await openTiny({ path: await storeOf(second(), 40), encoder: second() });
  assert.equal(await ranking(target, ADA, 'word9 tea'), await ranking(reference, ADA, 'word9 tea'));
});

test('an encoder that is neither registered nor a folder is ENCODER_NOT_FOUND', async () => {
  const error = await failure('ENCODER_NOT_FOUND', () =>
    openMemory({ path: newStorePath(), encoder: 'no-such-encoder' }),
  );
  assert.instance(error, OntomemError);
  assert.match(error.message, /no-such-encoder/);
  assert.ok(present(error.cure).length > 0);
});

test.run();
