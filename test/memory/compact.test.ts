// Compaction: what was forgotten is in no file any more, what is stored stays, whenever it is killed.
import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Turn } from '../../src/contract/turn.js';
import type { Memory } from '../../src/memory/memory.js';
import type { FaultPoint } from '../../src/store/faults.js';
import { passageOf, passageTerms } from '../../src/text/passage.js';
import { failure } from '../support/expecting.js';
import { ADA, BO, idsOf, newStorePath, openTiny, ranking, someTurns, turnsOf } from '../support/memories.js';
import { Helper, killHelpers } from '../support/processes.js';
import { TinyEncoder } from '../support/tiny-encoder.js';

const test = suite('compact');
const SECRET = 'the heliotrope password is quixotic zanzibar marmalade';
const DATA = 'data.mdb';

function secretTurn(id: string) {
  return { id, speaker: 'Ada', text: SECRET, meta: { note: 'zanzibar-note' } };
}

/** Every file below a folder, as one text of bytes. */
function bytesUnder(folder: string): Buffer[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return bytesUnder(path);
    return entry.isFile() ? [readFileSync(path)] : [];
  });
}

/** What of the secret turn a file could hold: text, metadata, vector and terms. */
function traces(encoder: TinyEncoder): Buffer[] {
  const turn: Turn = { ...secretTurn('x'), session: 'default', at: 0, dateSource: 'ingest' };
  const { hashes } = passageTerms(turn);
  const vector = encoder.vectorOf(passageOf(turn));
  return [
    Buffer.from('heliotrope'),
    Buffer.from('zanzibar-note'),
    Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength),
    Buffer.from(hashes.buffer, hashes.byteOffset, hashes.byteLength),
  ];
}

function found(folder: string, wanted: readonly Buffer[]): number {
  const files = bytesUnder(folder);
  return wanted.filter((bytes) => files.some((file) => file.includes(bytes))).length;
}

async function withSecrets(path: string, encoder = new TinyEncoder()): Promise<Memory> {
  const memory = await openTiny({ path, encoder });
  for (let n = 0; n < 8; n++) {
    await memory.observe({ scope: ADA, turns: [...someTurns(40, n * 40), secretTurn(`secret${n}`)] });
  }
  await memory.observe({ scope: BO, session: 'private', turns: [secretTurn('of-bo')] });
  return memory;
}

async function forgetSecrets(memory: Memory): Promise<void> {
  for (let n = 0; n < 8; n++) await memory.forget({ scope: ADA, turn: `secret${n}` });
  await memory.forget({ scope: BO, everything: true });
}

test('after forget and compact no file holds text, metadata, vector or terms of what was forgotten', async () => {
  const path = newStorePath();
  const encoder = new TinyEncoder();
  const memory = await withSecrets(path, encoder);
  assert.is(found(path, traces(encoder)), 4, 'the test sees what is there');
  await forgetSecrets(memory);
  assert.ok(found(path, traces(encoder)) > 0, 'free pages still hold it');
  const before = [await turnsOf(memory, ADA), await ranking(memory, ADA, 'word77 tea')];
  const { bytesBefore, bytesAfter } = await memory.compact();
  assert.is(bytesAfter, statSync(join(path, DATA)).size);
  assert.ok(bytesAfter < bytesBefore, `${bytesBefore} -> ${bytesAfter}`);
  assert.is(found(path, traces(encoder)), 0);
  const mine = readdirSync(tmpdir()).filter((name) => /^ontomem-import/.test(name));
  assert.equal(mine, [], 'nothing lies in the temporary folder');
  assert.equal([await turnsOf(memory, ADA), await ranking(memory, ADA, 'word77 tea')], before);
  await memory.observe({ scope: ADA, turns: someTurns(1, 900) });
  await memory.close();
  await using again = await openTiny({ path });
  assert.is((await idsOf(again, ADA)).length, 321);
});

test('closing a small store compacts it by itself when something was forgotten', async () => {
  const path = newStorePath();
  const encoder = new TinyEncoder();
  const memory = await withSecrets(path, encoder);
  const inode = () => statSync(join(path, DATA)).ino;
  await memory.close();
  const first = inode();
  const again = await openTiny({ path });
  await forgetSecrets(again);
  await again.close();
  assert.is(found(path, traces(encoder)), 0);
  const second = inode();
  assert.is.not(second, first);
  await (await openTiny({ path })).close();
  assert.is(inode(), second, 'once is enough');
});

test('closing a small store compacts it when metadata was amended: what it was is gone too', async () => {
  const path = newStorePath();
  const memory = await openTiny({ path });
  await memory.observe({ scope: ADA, turns: [...someTurns(30), secretTurn('x')] });
  await memory.amend({ scope: ADA, turn: 'x', meta: { note: null } });
  await memory.close();
  assert.is(found(path, [Buffer.from('zanzibar-note')]), 0);
});

test('a forget that leaves half of a large file free compacts while the memory is open', async () => {
  const path = newStorePath();
  await using memory = await openTiny({ path });
  await memory.observe({ scope: BO, turns: someTurns(20) });
  const large = `${SECRET} `.repeat(900);
  for (let n = 0; n < 10; n++) {
    const turns = Array.from({ length: 40 }, (_, k) => ({ id: `l${n}-${k}`, speaker: 'Ada', text: large }));
    await memory.observe({ scope: ADA, turns });
  }
  const bytes = () => statSync(join(path, DATA)).size;
  const full = bytes();
  await memory.forget({ scope: ADA, turn: 'l0-0' });
  assert.ok(bytes() >= full, 'one turn is not worth it');
  await memory.forget({ scope: ADA, everything: true });
  // The turns are deleted in the background, and then the file is written anew.
  for (let waited = 0; bytes() >= full / 10 && waited < 30_000; waited += 20) await wait(20);
  assert.ok(bytes() < full / 10, `${full} -> ${bytes()}`);
  assert.is(found(path, [Buffer.from('heliotrope')]), 0);
  assert.is((await idsOf(memory, BO)).length, 20);
});

test('readers that are open go on and see what comes later; a reader cannot compact', async () => {
  const path = newStorePath();
  const memory = await withSecrets(path);
  const here = await openTiny({ path, readOnly: true });
  const helper = new Helper('counting-reader', [path]);
  assert.is(await helper.line(), '329');
  await failure('STORE_READ_ONLY', () => here.compact());
  const walk = here.turns({ scope: ADA });
  for (let n = 0; n < 10; n++) await walk.next();
  for (let round = 1; round <= 3; round++) {
    await forgetSecrets(memory).catch(() => undefined);
    await memory.compact();
    await memory.observe({ scope: ADA, turns: someTurns(1, 1000 + round) });
    assert.is((await idsOf(here, ADA)).length, 320 + round);
    assert.is(await helper.ask('count'), String(320 + round));
    assert.equal(
      (await here.recall({ scope: ADA, query: 'heliotrope' })).evidence.filter((e) =>
        /zanzibar/.test(e.text),
      ),
      [],
    );
  }
  let rest = 10;
  for await (const _ of walk) rest++;
  assert.ok(rest >= 320, `${rest} turns by a walk that began before`);
  await here.close();
  helper.kill();
  await memory.close();
});

const STEPS: FaultPoint[] = ['compact-copy', 'compact-sync', 'compact-rename', 'compact-reopen'];
for (const step of STEPS) {
  test(`killed at ${step}, the store opens with everything that is stored`, async () => {
    const path = newStorePath();
    await (await withSecrets(path)).close();
    const helper = new Helper('killed-compactor', [path, step]);
    while ((await helper.line()) !== undefined);
    await helper.ended();
    assert.is(helper.process.signalCode, 'SIGKILL');
    const memory = await openTiny({ path });
    assert.not.ok(existsSync(join(path, 'compacting')), 'what it left is removed');
    assert.is((await idsOf(memory, ADA)).length, 328);
    await memory.compact();
    await memory.close();
  });
}

test('a file written anew has the rights of the one it replaces', async () => {
  const path = newStorePath();
  await (await openTiny({ path })).close();
  chmodSync(join(path, DATA), 0o640);
  await using memory = await openTiny({ path });
  await memory.compact();
  assert.is(statSync(join(path, DATA)).mode & 0o777, 0o640);
});

test.after(killHelpers);
test.run();
