// Encodings on disk: a second opening encodes nothing, damage and changed encoders are noticed.
import { appendFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { VectorCache } from '../../bench/quality/vector-cache.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { TinyEncoder } from '../support/tiny-encoder.js';

const TEXTS = ['a blue door', 'the red house', 'a blue door', 'three geese'];

function fileIn(folder: string): string {
  const [name = ''] = readdirSync(join(folder, 'encodings'));
  return join(folder, 'encodings', name);
}

function encoded(encoder: TinyEncoder): string[] {
  // The probe of each opening is not what the cache is for.
  return encoder.calls.flat().filter((text) => !text.includes('ferry'));
}

test('texts come back as the encoder gives them, each encoded once', async () => {
  const folder = temporaryFolder('cache');
  const encoder = new TinyEncoder();
  const cache = await VectorCache.open(encoder, folder);
  const rows = await cache.encode(TEXTS, 'passage');
  assert.equal(encoded(encoder).toSorted(), ['a blue door', 'the red house', 'three geese']);
  for (const [position, text] of TEXTS.entries()) {
    assert.equal(rows.slice(position * 32, (position + 1) * 32), encoder.vectorOf(text));
  }
  await cache.close();
});

test('another process finds them on disk; a query is not a passage', async () => {
  const folder = temporaryFolder('cache');
  const first = await VectorCache.open(new TinyEncoder(), folder);
  const rows = await first.encode(TEXTS, 'passage');
  await first.close();
  const encoder = new TinyEncoder();
  const second = await VectorCache.open(encoder, folder);
  assert.equal(await second.encode(TEXTS, 'passage'), rows);
  assert.equal(encoded(encoder), []);
  await second.encode(['three geese'], 'query');
  assert.equal(encoded(encoder), ['three geese']);
  await second.close();
});

test('two processes that append at once do not mix their rows', async () => {
  const folder = temporaryFolder('cache');
  const [one, two] = await Promise.all([
    VectorCache.open(new TinyEncoder(), folder),
    VectorCache.open(new TinyEncoder(), folder),
  ]);
  await one.encode(['alpha'], 'passage');
  await two.encode(['beta', 'gamma'], 'passage');
  await one.encode(['delta'], 'passage');
  await Promise.all([one.close(), two.close()]);
  const encoder = new TinyEncoder();
  const third = await VectorCache.open(encoder, folder);
  const rows = await third.encode(['alpha', 'beta', 'gamma', 'delta'], 'passage');
  assert.equal(encoded(encoder), []);
  assert.equal(rows.slice(96), encoder.vectorOf('delta'));
  await third.close();
});

test('a record that a killed run left unfinished is cut off, a torn one encoded again', async () => {
  const folder = temporaryFolder('cache');
  const first = await VectorCache.open(new TinyEncoder(), folder);
  await first.encode(['alpha', 'beta'], 'passage');
  await first.close();
  const file = fileIn(folder);
  const whole = statSync(file).size;
  appendFileSync(file, 'unfinished');
  const bytes = readFileSync(file);
  // The last whole record's vector becomes zeros.
  bytes.fill(0, whole - 128, whole);
  writeFileSync(file, bytes);
  const encoder = new TinyEncoder();
  const second = await VectorCache.open(encoder, folder);
  const rows = await second.encode(['alpha', 'beta'], 'passage');
  assert.is(encoded(encoder).length, 1);
  assert.equal(rows.slice(0, 32), encoder.vectorOf('alpha'));
  assert.equal(rows.slice(32), encoder.vectorOf('beta'));
  await second.close();
});

test('an encoder that changed behind its identity starts anew', async () => {
  const folder = temporaryFolder('cache');
  const first = await VectorCache.open(new TinyEncoder(), folder);
  await first.encode(['alpha'], 'passage');
  await first.close();
  const changed = new TinyEncoder({ seed: 2 });
  Object.assign(changed.identity, new TinyEncoder().identity);
  const second = await VectorCache.open(changed, folder);
  assert.equal(await second.encode(['alpha'], 'passage'), changed.vectorOf('alpha'));
  await second.close();
});

test.run();
