// Folders that cannot be a store: damaged, locked, read-only or full. Each is a typed error, never a crash.
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Memory, openMemory } from '../../src/memory/memory.js';
import { failure } from '../support/expecting.js';
import { ADA, BO, idsOf, newStorePath, openTiny, someTurns } from '../support/memories.js';
import { mayMount, mounted } from '../support/mounts.js';
import { Helper, killHelpers, runHelper } from '../support/processes.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { TinyEncoder } from '../support/tiny-encoder.js';

const test = suite('damage');

function mayLimitFiles(): boolean {
  try {
    execFileSync('prlimit', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    console.log('skipped: too few descriptors (no prlimit here)');
    return false;
  }
}
const DATA = 'data.mdb';

async function filledStore(): Promise<string> {
  const path = newStorePath();
  await using memory = await openTiny({ path });
  for (let start = 0; start < 400; start += 100) {
    await memory.observe({ scope: ADA, turns: someTurns(100, start) });
  }
  return path;
}

function overwrite(file: string, at: number, bytes: Buffer): void {
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, bytes, 0, bytes.length, at);
  closeSync(descriptor);
}

/** Deterministic rubbish. */
function rubbish(length: number): Buffer {
  let state = 12345;
  return Buffer.from(
    Array.from({ length }, () => {
      state = (Math.imul(state, 1103515245) + 12345) >>> 0;
      return state >>> 24;
    }),
  );
}

const DAMAGES: ReadonlyArray<[string, (file: string) => void]> = [
  ['cut to half its length', (file) => truncateSync(file, statSync(file).size / 2)],
  ['cut to one page', (file) => truncateSync(file, 4096)],
  ['cut within its first page', (file) => truncateSync(file, 100)],
  ['cut by its last three pages', (file) => truncateSync(file, statSync(file).size - 3 * 4096)],
  ['replaced by text', (file) => writeFileSync(file, 'this is no database\n'.repeat(2000))],
  ['replaced by rubbish', (file) => writeFileSync(file, rubbish(65_536))],
  ['replaced by zeros', (file) => writeFileSync(file, Buffer.alloc(65_536))],
  ['with rubbish over both meta pages', (file) => overwrite(file, 0, rubbish(8192))],
];

for (const [name, damage] of DAMAGES) {
  test(`a data file ${name} is set aside with STORE_CORRUPT and can be looked at later`, async () => {
    const path = await filledStore();
    const file = join(path, DATA);
    damage(file);
    const damaged = readFileSync(file);
    const reader = await failure('STORE_CORRUPT', () =>
      openMemory({ path, encoder: new TinyEncoder(), readOnly: true }),
    );
    assert.ok(existsSync(file), 'a reader leaves it where it is');
    assert.match(reader.input, /data\.mdb$/);
    const error = await failure('STORE_CORRUPT', () => openMemory({ path, encoder: new TinyEncoder() }));
    const aside = readdirSync(path).find((entry) => entry.startsWith(`${DATA}.corrupt-`)) ?? '';
    assert.ok(error.message.includes(aside) && aside !== '', error.message);
    assert.ok(readFileSync(join(path, aside)).equals(damaged), 'not a byte of it is lost');
    assert.not.ok(existsSync(file));
    // Nobody is given an empty memory in its place by accident.
    await failure('STORE_CORRUPT', () => openMemory({ path, encoder: new TinyEncoder() }));
  });
}

test('an empty data file where a store was is damage, and not a new store', async () => {
  const path = await filledStore();
  truncateSync(join(path, DATA), 0);
  for (const readOnly of [true, false]) {
    await failure('STORE_CORRUPT', () => openMemory({ path, encoder: new TinyEncoder(), readOnly }));
  }
  // As a writer leaves it that is killed before its first commit.
  const unfinished = temporaryFolder('unfinished');
  for (const name of [DATA, 'lock.mdb', 'writer.lock']) writeFileSync(join(unfinished, name), '');
  await (await openMemory({ path: unfinished, encoder: new TinyEncoder() })).close();
});

for (const [name, make] of [
  ['folder', (file: string) => mkdirSync(file)],
  ['pipe', (file: string) => execFileSync('mkfifo', [file])],
] as const) {
  test(`a ${name} in the place of the data file is STORE_CORRUPT and is left there`, async () => {
    const path = await filledStore();
    rmSync(join(path, DATA));
    make(join(path, DATA));
    for (const readOnly of [true, false]) {
      const error = await failure('STORE_CORRUPT', () =>
        openMemory({ path, encoder: new TinyEncoder(), readOnly }),
      );
      assert.match(error.message, /not a regular file/);
      assert.not.match(error.message, /set aside|renamed/);
    }
    assert.not.ok(readdirSync(path).some((entry) => entry.includes('corrupt')));
  });
}

test('a data file that cannot be opened is STORE_UNWRITABLE and is left as it is', async () => {
  const path = await filledStore();
  // A loop of links, which fails to open for every user.
  rmSync(join(path, DATA));
  symlinkSync(DATA, join(path, DATA));
  for (const readOnly of [true, false]) {
    const error = await failure('STORE_UNWRITABLE', () =>
      openMemory({ path, encoder: new TinyEncoder(), readOnly }),
    );
    assert.match(error.message, /cannot be read .*left as it is/);
  }
  assert.not.ok(readdirSync(path).some((entry) => entry.includes('corrupt')));
});

test('a store that forgot its last turns ends in pages that were never written, and opens', async () => {
  let shorter = 0;
  for (const count of [12, 36, 44, 52, 60, 75]) {
    const path = newStorePath();
    const opened = async (work: (memory: Memory) => Promise<unknown>) => {
      await using memory = await openTiny({ path });
      await work(memory);
    };
    await opened((memory) => memory.observe({ scope: ADA, turns: someTurns(count) }));
    // Killed, because closing would write the file anew.
    const helper = new Helper('writer', [path]);
    assert.is(await helper.line(), 'open');
    for (const word of ['forget t0', 'forget-session']) assert.is(await helper.ask(word), 'done');
    helper.kill();
    await helper.ended();
    const head = readFileSync(join(path, DATA));
    const lastPages = [0, 4096].map((page) => Number(head.readBigUInt64LE(page + 24 + 24 + 2 * 48)));
    if (head.length < 4096 * (Math.max(...lastPages) + 1)) shorter++;
    await opened(async (memory) => assert.equal(await idsOf(memory, ADA), []));
    await opened((memory) =>
      memory.observe({ scope: BO, turns: [{ speaker: 'Bo', text: 'long '.repeat(5000) }] }),
    );
    await opened(async (memory) => assert.is((await idsOf(memory, BO)).length, 1));
  }
  assert.ok(shorter > 0, 'some files are shorter than their last page number says');
});

test('one meta page torn by a crash is what LMDB is built for: the store opens at its last commit', async () => {
  const path = await filledStore();
  const head = readFileSync(join(path, DATA)).subarray(0, 8192);
  // The page with the higher transaction id is the newer one; tear the older one.
  const transaction = (page: number) => head.readBigUInt64LE(page * 4096 + 24 + 24 + 2 * 48 + 8);
  const older = transaction(0) < transaction(1) ? 0 : 1;
  if (older === 1) {
    overwrite(join(path, DATA), 4096 + 512, rubbish(3000));
    await using memory = await openTiny({ path });
    assert.is((await idsOf(memory, ADA)).length, 400);
  } else {
    overwrite(join(path, DATA), 512, rubbish(3000));
    await using memory = await openTiny({ path });
    assert.is((await idsOf(memory, ADA)).length, 400);
  }
});

test('a second writer is refused with STORE_LOCKED naming the path, in another process and in this one', async () => {
  const path = newStorePath();
  const writer = new Helper('writer', [path]);
  assert.is(await writer.line(), 'open');
  const error = await failure('STORE_LOCKED', () => openMemory({ path, encoder: new TinyEncoder() }));
  assert.is(error.input, path);
  assert.ok(error.message.startsWith(path));
  writer.kill();
  await writer.ended();
  // The lock goes with the process that held it.
  const memory = await openTiny({ path });
  await failure('STORE_LOCKED', () => openMemory({ path, encoder: new TinyEncoder() }));
  await failure('STORE_LOCKED', () => openMemory({ path: join(path, '.'), encoder: new TinyEncoder() }));
  await memory.observe({ scope: ADA, turns: someTurns(2) });
  assert.is((await idsOf(memory, ADA)).length, 2, 'who was refused did no harm');
  await memory.close();
  await (await openTiny({ path })).close();
});

test('in one process a writer and readers work beside each other, whoever came first', async () => {
  const path = newStorePath();
  const writer = await openTiny({ path });
  await writer.observe({ scope: ADA, turns: someTurns(3) });
  const beside = await openTiny({ path, readOnly: true });
  assert.is((await idsOf(beside, ADA)).length, 3);
  await beside.close();
  await writer.observe({ scope: ADA, turns: someTurns(1, 3) });
  await writer.close();
  const reader = await openTiny({ path, readOnly: true });
  const second = await openTiny({ path });
  await second.observe({ scope: ADA, turns: someTurns(1, 4) });
  assert.is((await idsOf(reader, ADA)).length, 5, 'the older reader sees what is new');
  const error = await failure('STORE_LOCKED', () => openTiny({ path }));
  assert.match(error.message, /in this one/);
  await second.close();
  assert.is((await idsOf(reader, ADA)).length, 5, 'and goes on when the writer is gone');
  await reader.close();
  await using again = await openTiny({ path });
  assert.is((await idsOf(again, ADA)).length, 5);
});

test('a read-only memory refuses every write with STORE_READ_ONLY', async () => {
  const path = await filledStore();
  const archive: unknown[] = [];
  await using reader = await openTiny({ path, readOnly: true });
  for await (const record of reader.export({ scope: ADA })) archive.push(record);
  await failure('STORE_READ_ONLY', () => reader.observe({ scope: ADA, turns: someTurns(1, 900) }));
  await failure('STORE_READ_ONLY', () => reader.forget({ scope: ADA, everything: true }));
  await failure('STORE_READ_ONLY', () => reader.forget({ scope: ADA, turn: 't3' }));
  await failure('STORE_READ_ONLY', () => reader.amend({ scope: ADA, turn: 't3', meta: { a: 1 } }));
  await failure('STORE_READ_ONLY', () => reader.import({ records: archive, scope: BO }));
  assert.is((await idsOf(reader, ADA)).length, 400);
});

for (const name of ['lock.mdb', 'access.lock', 'access-queue.lock', 'writer.lock']) {
  test(`a folder in the place of ${name} is STORE_UNWRITABLE naming it`, async () => {
    const path = await filledStore();
    rmSync(join(path, name), { force: true });
    mkdirSync(join(path, name));
    const error = await failure('STORE_UNWRITABLE', () => openMemory({ path, encoder: new TinyEncoder() }));
    assert.ok(error.message.includes(name), error.message);
  });
}

test('where descriptors run out an opening, a compaction and an import are STORE_UNWRITABLE, never the end', async () => {
  if (!mayLimitFiles()) return;
  for (const left of [0, 6, 13]) {
    for (const verb of ['open', 'compact', 'import']) {
      const { signal, stdout, stderr } = await runHelper('few-descriptors', [
        newStorePath(),
        verb,
        `${left}`,
      ]);
      assert.is(signal, null, `${verb} with ${left}: ${stderr}`);
      assert.match(
        stdout,
        /^(done|STORE_UNWRITABLE .*(open files|EMFILE).*)\n$/,
        `${verb} with ${left}: ${stderr}`,
      );
      assert.not.match(stdout, /set aside/);
    }
  }
});

test('a folder without a store, a file in its place and a path that is none are told apart', async () => {
  const folder = temporaryFolder('empty');
  const encoder = new TinyEncoder();
  await failure('NOT_FOUND', () => openMemory({ path: folder, encoder, readOnly: true }));
  await failure('NOT_FOUND', () => openMemory({ path: join(folder, 'no', 'such'), encoder, readOnly: true }));
  writeFileSync(join(folder, 'file'), '');
  await failure('STORE_UNWRITABLE', () => openMemory({ path: join(folder, 'file'), encoder }));
  await failure('STORE_UNWRITABLE', () => openMemory({ path: join(folder, 'file', 'below'), encoder }));
  await failure('INVALID_ARGUMENT', () => openMemory({ path: '', encoder }));
  await failure('INVALID_ARGUMENT', () => openMemory({ path: folder, encoder, colour: 'red' } as never));
  await failure('INVALID_ARGUMENT', () => openMemory(undefined as never));
  await failure('INVALID_ARGUMENT', () => openMemory({ path: folder, encoder, limits: { textBytes: 0 } }));
});

const mountable = mayMount();
const whereMountable = mountable ? test : test.skip;
if (!mountable) {
  console.log('skipped: a full disk and a read-only file system (this user may not mount one)');
}

whereMountable(
  'on a full disk an observe is STORE_UNWRITABLE, writes nothing, and what was there stays readable',
  async () => {
    const at = join(temporaryFolder('full'), 'disk');
    const unmount = mounted(['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs'], at);
    const path = join(at, 'store');
    const memory = await openTiny({ path });
    await memory.observe({ scope: ADA, turns: someTurns(20) });
    let acknowledged = 20;
    const error = await failure('STORE_UNWRITABLE', async () => {
      for (;;) {
        await memory.observe({ scope: ADA, turns: someTurns(100, acknowledged) });
        acknowledged += 100;
      }
    });
    assert.match(error.message, /free disk space/);
    assert.is((await idsOf(memory, ADA)).length, acknowledged);
    assert.ok((await memory.recall({ scope: ADA, query: 'tea' })).evidence.length > 0);
    await memory.close();
    const again = await openTiny({ path, readOnly: true });
    assert.is((await idsOf(again, ADA)).length, acknowledged);
    await again.close();
    unmount?.();
  },
);

for (const [name, bytesLeft] of [
  ['full', 0],
  ['almost full', 16 * 1024],
] as const) {
  whereMountable(`a new store on a disk that is ${name} is STORE_UNWRITABLE`, async () => {
    const at = join(temporaryFolder('full'), 'disk');
    const unmount = mounted(['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs'], at);
    writeFileSync(join(at, 'filler'), Buffer.alloc(1024 * 1024 - bytesLeft - (bytesLeft && 4096)));
    mkdirSync(join(at, 'store'));
    const { signal, stdout, stderr } = await runHelper('read-everything', [join(at, 'store'), 'create']);
    assert.is(signal, null, stderr);
    assert.match(stdout, /^STORE_UNWRITABLE/);
    unmount?.();
  });
}

whereMountable('in a read-only folder a writer is STORE_UNWRITABLE and a reader reads', async () => {
  const path = await filledStore();
  const at = join(temporaryFolder('read-only'), 'disk');
  const unmount = mounted(['--bind', path], at);
  execFileSync('mount', ['-o', 'remount,bind,ro', at], { stdio: 'ignore' });
  await failure('STORE_UNWRITABLE', () => openMemory({ path: at, encoder: new TinyEncoder() }));
  await failure('STORE_UNWRITABLE', () => openMemory({ path: join(at, 'new'), encoder: new TinyEncoder() }));
  {
    await using reader = await openTiny({ path: at, readOnly: true });
    assert.is((await idsOf(reader, ADA)).length, 400);
    assert.ok((await reader.recall({ scope: ADA, query: 'tea' })).evidence.length > 0);
  }
  unmount?.();
});

test.after(killHelpers);
test.run();
