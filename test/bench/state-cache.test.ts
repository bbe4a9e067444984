// Token states on disk: a second opening encodes nothing, damage and changed encoders are noticed.
import { appendFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StateCache } from '../../bench/quality/state-cache.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { WordEncoder } from './arms-support.js';

const TEXTS = ['a blue door', 'the red house by the sea', 'a blue door', 'geese'];
/** What is encoded beside the probe of each opening. */
const encoded = (encoder: WordEncoder): string[] =>
  encoder.calls.flat().filter((text) => !text.includes('tide'));
const fileIn = (folder: string): string => {
  const [name = ''] = readdirSync(join(folder, 'encodings'));
  return join(folder, 'encodings', name);
};

test('states come back as they were encoded, each text once, in another process too', async () => {
  const folder = temporaryFolder('states');
  const encoder = new WordEncoder();
  const cache = await StateCache.open(encoder, folder);
  const passages = await cache.passages(TEXTS);
  const queries = await cache.queries(TEXTS);
  assert.equal(
    passages.map(({ scales }) => scales.length),
    [3, 6, 3, 1],
  );
  assert.equal(queries[3], encoder.vectorOf('geese'));
  assert.is(encoded(encoder).length, 6);
  await cache.close();
  const later = new WordEncoder();
  const second = await StateCache.open(later, folder);
  assert.equal(await second.passages(TEXTS), passages);
  assert.equal(await second.queries(TEXTS), queries);
  assert.equal(encoded(later), []);
  await second.close();
});

test('a record that a killed run left unfinished is cut off, a torn one encoded again', async () => {
  const folder = temporaryFolder('states');
  const first = await StateCache.open(new WordEncoder(), folder);
  const known = await first.passages(['alpha', 'beta gamma']);
  await first.close();
  const file = fileIn(folder);
  const whole = statSync(file).size;
  appendFileSync(file, readFileSync(file).subarray(0, 40));
  const bytes = readFileSync(file);
  // The last whole record is of the shorter text: the longer ones are encoded first.
  bytes.fill(1, whole - 8, whole);
  writeFileSync(file, bytes);
  const encoder = new WordEncoder();
  const second = await StateCache.open(encoder, folder);
  assert.equal(await second.passages(['alpha', 'beta gamma']), known);
  assert.equal(encoded(encoder), ['alpha']);
  await second.close();
  const third = await StateCache.open(encoder, folder);
  assert.equal(await third.passages(['beta gamma', 'alpha']), known.toReversed());
  assert.equal(encoded(encoder), ['alpha']);
  await third.close();
});

test('an encoder that changed behind its identity starts anew', async () => {
  const folder = temporaryFolder('states');
  const first = await StateCache.open(new WordEncoder(), folder);
  await first.queries(['alpha']);
  await first.close();
  const changed = new WordEncoder({ seed: 2 });
  Object.assign(changed.identity, new WordEncoder().identity);
  const second = await StateCache.open(changed, folder);
  assert.equal(await second.queries(['alpha']), [changed.vectorOf('alpha')]);
  await second.close();
});

test.run();
