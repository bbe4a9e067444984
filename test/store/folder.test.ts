// The folder of a store: its rights, its name, its making, its disappearance.
import { cpSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Memory, openMemory } from '../../src/memory/memory.js';
import { all, failure } from '../support/expecting.js';
import { ADA, BO, idsOf, newStorePath, openTiny, someTurns } from '../support/memories.js';
import { Helper, killHelpers } from '../support/processes.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { TinyEncoder } from '../support/tiny-encoder.js';

const test = suite('folder');

test('files are 0600 and folders 0700, whatever the umask', async () => {
  const old = process.umask(0);
  try {
    const path = join(temporaryFolder('rights'), 'made', 'store');
    await using memory = await openTiny({ path });
    await memory.observe({ scope: ADA, turns: someTurns(3) });
    await memory.forget({ scope: ADA, turn: 't0' });
    await memory.compact();
    await using _reader = await openTiny({ path, readOnly: true });
    assert.is(statSync(path).mode & 0o777, 0o700);
    for (const name of readdirSync(path)) {
      assert.is(statSync(join(path, name)).mode & 0o777, 0o600, name);
    }
  } finally {
    process.umask(old);
  }
});

for (const name of ['memory.db', 'v1.2', 'tmp.Xy3', '.hidden', 'data.mdb', 'a.b.c']) {
  test(`a folder named ${name} opens`, async () => {
    const path = join(temporaryFolder('named'), name);
    const memory = await openTiny({ path });
    await memory.observe({ scope: ADA, turns: someTurns(2) });
    await memory.close();
    await using reader = await openTiny({ path, readOnly: true });
    assert.equal(await idsOf(reader, ADA), ['t0', 't1']);
    assert.ok(statSync(path).isDirectory());
  });
}

test('readers that open while a store is made find nothing, or a store: never damage', async () => {
  const encoder = new TinyEncoder();
  for (let round = 0; round < 6; round++) {
    const path = newStorePath();
    const helper = new Helper('writer', [path, '--wait']);
    assert.is(await helper.line(), 'waiting');
    const opened = helper.ask('open');
    let done = false;
    void opened.then(() => {
      done = true;
    });
    let found = 0;
    while (!done || found === 0) {
      try {
        const reader = await openMemory({ path, encoder, readOnly: true });
        assert.equal(await idsOf(reader, ADA), []);
        assert.equal((await reader.recall({ scope: ADA, query: 'tea' })).evidence, []);
        await reader.close();
        found++;
        // Nothing of the above leaves this turn of the event loop.
        await new Promise((resolve) => setImmediate(resolve));
      } catch (error) {
        assert.is((error as { code?: string }).code, 'NOT_FOUND', String(error));
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 3));
      }
    }
    helper.kill();
    await helper.ended();
  }
});

test('a writer whose folder was removed acknowledges nothing; a reader says that there is no store', async () => {
  const path = newStorePath();
  const memory = await openTiny({ path });
  await memory.observe({ scope: ADA, turns: someTurns(3) });
  const reader = await openTiny({ path, readOnly: true });
  rmSync(path, { recursive: true });
  await failure('STORE_UNWRITABLE', () => memory.observe({ scope: ADA, turns: someTurns(1, 3) }));
  await failure('STORE_UNWRITABLE', () => memory.forget({ scope: ADA, everything: true }));
  await failure('STORE_UNWRITABLE', () => memory.compact());
  await failure('STORE_UNWRITABLE', () => memory.import({ records: [] }));
  await failure('NOT_FOUND', () => memory.stats());
  await failure('NOT_FOUND', () => reader.recall({ scope: ADA, query: 'tea' }));
  await failure('NOT_FOUND', () => all(reader.turns({ scope: ADA })));
  await failure('NOT_FOUND', () => reader.stats());
  await reader.close();
  await memory.close();
  await using again = await openTiny({ path });
  assert.equal(await idsOf(again, ADA), []);
});

test('a folder that was moved away and replaced is another store: nothing is written into either', async () => {
  const path = newStorePath();
  const memory = await openTiny({ path });
  await memory.observe({ scope: ADA, turns: someTurns(3) });
  renameSync(path, `${path}-moved`);
  const other = await openTiny({ path });
  await other.observe({ scope: BO, turns: someTurns(2) });
  await failure('STORE_UNWRITABLE', () => memory.observe({ scope: ADA, turns: someTurns(1, 3) }));
  await memory.close();
  await other.close();
  await using moved = await openTiny({ path: `${path}-moved` });
  assert.is((await idsOf(moved, ADA)).length, 3);
});

test('a memory opened by a relative path stays where it is when the process changes its folder', async () => {
  const [start, here, other] = [process.cwd(), temporaryFolder('here'), temporaryFolder('other')];
  try {
    process.chdir(other);
    await (await openTiny({ path: './memory' })).close();
    process.chdir(here);
    await using memory = await openTiny({ path: './memory' });
    await using reader = await openTiny({ path: './memory', readOnly: true });
    await memory.observe({ scope: ADA, turns: someTurns(2) });
    process.chdir(other);
    await memory.observe({ scope: ADA, turns: someTurns(1, 2) });
    assert.is((await reader.recall({ scope: ADA, query: 'word2' })).evidence[0]?.turnId, 't2');
    assert.is((await memory.stats()).turns, 3);
  } finally {
    process.chdir(start);
  }
});

for (const how of ['restored from a copy', 'made anew'] as const) {
  test(`a store that was ${how} in its place is never answered from what was there before`, async () => {
    const path = newStorePath();
    const say = async (memory: Memory, ...texts: string[]) =>
      memory.observe({ scope: ADA, turns: texts.map((text) => ({ id: text, speaker: 'Ada', text })) });
    const first = async (memory: Memory, query: string) =>
      (await memory.recall({ scope: ADA, query, limit: 1 })).evidence[0]?.turnId;
    const before = await openTiny({ path });
    await say(before, 'apple tree', 'boat harbour');
    await before.close();
    cpSync(path, `${path}.copy`, { recursive: true });
    const old = await openTiny({ path });
    await say(old, 'cello concert', 'dentist appointment');
    await using reader = await openTiny({ path, readOnly: true });
    assert.is(await first(reader, 'dentist'), 'dentist appointment');
    await old.close();
    rmSync(path, { recursive: true });
    if (how === 'restored from a copy') cpSync(`${path}.copy`, path, { recursive: true });
    await using writer = await openTiny({ path });
    if (how === 'made anew') await say(writer, 'apple tree', 'boat harbour');
    await say(writer, 'zebra stripes', 'window repair');
    for (const memory of [reader, writer]) {
      assert.is(await first(memory, 'zebra'), 'zebra stripes');
      assert.is(await first(memory, 'window'), 'window repair');
      assert.is.not(await first(memory, 'dentist'), 'dentist appointment');
    }
  });
}

test('a reader whose files were replaced by those of another encoder is ENCODER_MISMATCH', async () => {
  const path = newStorePath();
  const fill = async (seed: number) => {
    await using memory = await openTiny({ path, encoder: new TinyEncoder({ seed }) });
    await memory.observe({ scope: ADA, turns: someTurns(3) });
  };
  await fill(1);
  await using reader = await openTiny({ path, readOnly: true });
  await reader.recall({ scope: ADA, query: 'tea' });
  rmSync(path, { recursive: true });
  await fill(7);
  await failure('ENCODER_MISMATCH', () => reader.recall({ scope: ADA, query: 'tea' }));
});

test('an iteration over 512 turns ends with STORE_CLOSED when the memory closes at any of them', async () => {
  for (const at of [1, 511, 512, 513, 1023, 1024]) {
    const memory = await openTiny();
    await memory.observe({ scope: ADA, turns: someTurns(1500) });
    const [turns, records] = [memory.turns({ scope: ADA }), memory.export({ scope: ADA })];
    for (let n = 0; n < at; n++) await Promise.all([turns.next(), records.next()]);
    await memory.close();
    await failure('STORE_CLOSED', () => all(turns));
    await failure('STORE_CLOSED', () => all(records));
  }
});

test('an import keeps its archive inside the store, for the owner alone, and no folder outlives it', async () => {
  const source = await openTiny();
  await source.observe({ scope: ADA, turns: someTurns(40) });
  const records = await all(source.export({ scope: ADA }));
  await source.close();
  const path = newStorePath();
  const memory = await openTiny({ path });
  const spools: string[] = [];
  async function* watched() {
    for (const record of records) {
      yield record;
      const inside = readdirSync(path).filter((name) => name.startsWith('import-'));
      for (const name of inside) spools.push(name);
    }
  }
  assert.is((await memory.import({ records: watched() })).stored, 40);
  assert.ok(spools.length > 0);
  assert.equal(
    readdirSync(path).filter((name) => name.startsWith('import-')),
    [],
  );
  await memory.close();
  // What a killed import left.
  mkdirSync(join(path, 'import-killed'));
  writeFileSync(join(path, 'import-killed', 'turns.jsonl'), 'left');
  await (await openTiny({ path })).close();
  assert.equal(
    readdirSync(path).filter((name) => name.startsWith('import-')),
    [],
  );
});

test('without a folder for temporary files everything works', async () => {
  const old = process.env.TMPDIR;
  const path = newStorePath();
  process.env.TMPDIR = '/nowhere/at/all';
  try {
    await using memory = await openMemory({ path, encoder: new TinyEncoder() });
    await memory.observe({ scope: ADA, turns: someTurns(5) });
    const records = await all(memory.export({ scope: ADA }));
    assert.is((await memory.import({ records, scope: BO })).stored, 5);
    await memory.forget({ scope: ADA, everything: true });
    await memory.compact();
  } finally {
    if (old === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = old;
  }
});

test('an archive with one id twice keeps one and counts both; with other words it is a conflict', async () => {
  const source = await openTiny();
  await source.observe({ scope: ADA, turns: someTurns(3) });
  const [header, ...rest] = await all(source.export({ scope: ADA }));
  await source.close();
  const turns = rest.filter(({ kind }) => kind === 'turn');
  const { ArchiveSum } = await import('../../src/ingest/archive.js');
  const archive = (list: typeof turns) => {
    const sum = new ArchiveSum();
    const records = header === undefined ? list : [header, ...list];
    for (const record of records) sum.add(record);
    return [...records, sum.footer()];
  };
  await using memory = await openTiny();
  const [first] = turns;
  if (first === undefined) throw new Error('no turns');
  assert.equal(await memory.import({ records: archive([...turns, first, first]) }), {
    scope: ADA,
    stored: 3,
    unchanged: 2,
  });
  assert.is((await memory.stats({ scope: ADA })).turns, 3);
  await failure('TURN_CONFLICT', () =>
    memory.import({ records: archive([...turns, { ...first, text: 'other' } as typeof first]), scope: BO }),
  );
  assert.is((await memory.stats({ scope: BO })).turns, 0);
});

test.after(killHelpers);
test.run();
