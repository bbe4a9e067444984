// Loading a scope: all or nothing whatever fails on the way, from packed segments or without them, in slices.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { search } from '../../src/native/recall.js';
import { shardInfo } from '../../src/native/shard.js';
import { Environment } from '../../src/store/environment.js';
import type { Faults } from '../../src/store/faults.js';
import { Residency, type Resident } from '../../src/store/residency.js';
import { SEGMENT_ROWS } from '../../src/store/turns/segments.js';
import { TurnReader } from '../../src/store/turns/turn-reader.js';
import { present } from '../support/expecting.js';
import { ADA, newStorePath, openTiny, someTurns } from '../support/memories.js';
import { TinyEncoder } from '../support/tiny-encoder.js';

const test = suite('loading');
const ROOMY = 2 ** 30;
const { identity } = new TinyEncoder();

/** A store of `turns` turns of which some were forgotten, so that rows have gaps. */
async function storeOf(turns: number, forgotten: readonly number[] = []): Promise<string> {
  const path = newStorePath();
  const memory = await openTiny({ path });
  for (let n = 0; n < turns; n += 100) {
    await memory.observe({ scope: ADA, turns: someTurns(Math.min(100, turns - n), n) });
  }
  for (const n of forgotten) await memory.forget({ scope: ADA, turn: `t${n}` });
  await memory.close();
  return path;
}

interface Opened extends AsyncDisposable {
  environment: Environment;
  log: TurnReader;
  residency: Residency;
}

async function openStore(path: string, faults: Faults = () => undefined): Promise<Opened> {
  const environment = await Environment.open(path, { faults });
  const log = new TurnReader(environment);
  const residency = new Residency(environment, log, identity, ROOMY);
  return {
    environment,
    log,
    residency,
    async [Symbol.asyncDispose]() {
      await residency.close();
      await environment.close();
    },
  };
}

/** Every turn of the scope is found by its own vector, under its own number. */
function assertWhole({ log, environment }: Opened, { scopeId, shard }: Resident): void {
  const record = present(log.scope(ADA));
  assert.is(present(shard.position()).live, record.turns);
  const output = { rows: new Uint32Array(1), scores: new Float32Array(1), counts: new Uint32Array(1) };
  const keys = [...environment.tables.rows.getKeys()].map((key) => key.readUInt32BE(4));
  for (const row of keys) {
    search(shard.handle, present(log.vector(scopeId, row)), 1, output);
    const found = present(log.vector(scopeId, present(output.rows[0])));
    assert.equal(found, present(log.vector(scopeId, row)));
  }
}

test('whichever read fails while a scope is loaded, the next load leads to the right turns', async () => {
  // Segments, a gap in one, and a tail of row records.
  const path = await storeOf(2 * SEGMENT_ROWS + 180, [3, SEGMENT_ROWS, SEGMENT_ROWS + 1]);
  let left = Number.POSITIVE_INFINITY;
  await using store = await openStore(path, (point) => {
    if ((point === 'read' || point === 'range') && left-- === 0) throw new Error('injected');
  });
  let loads = 0;
  // Every read of the first steps, then every seventh: row records are read one like the other.
  for (let nth = 0; ; nth += nth < 40 ? 1 : 7) {
    store.residency.drop(ADA);
    left = nth;
    const failed = await store.residency.load(ADA).then(
      () => false,
      (error: Error) => error.message.includes('injected'),
    );
    left = Number.POSITIVE_INFINITY;
    assertWhole(store, present(await store.residency.load(ADA)));
    // What is packed in the background is over then, and meets no failure that is meant for the next load.
    await store.environment.write(() => undefined);
    loads++;
    if (!failed) break;
  }
  assert.ok(loads > 10, `${loads} loads`);
});

test('segments and row records load the same, and the segments are what is read', async () => {
  const path = await storeOf(3 * SEGMENT_ROWS + 50, [7, 700]);
  await using packed = await openStore(path);
  const { rows } = packed.environment.tables;
  const getRange = rows.getRange.bind(rows);
  const counted = { rows: 0 };
  rows.getRange = function* (range) {
    for (const entry of getRange(range)) {
      counted.rows++;
      yield entry;
    }
  };
  assertWhole(packed, present(await packed.residency.load(ADA)));
  assert.ok(counted.rows < SEGMENT_ROWS, `${counted.rows} row records were read`);
});

test('a damaged segment is not used, and a missing one is packed again by who loads', async () => {
  const path = await storeOf(2 * SEGMENT_ROWS + 10);
  {
    await using store = await openStore(path);
    const { segments } = store.environment.tables;
    const [first, second] = [...segments.getKeys()];
    const bytes = Buffer.from(present(segments.get(present(first))));
    bytes[bytes.length - 1] = (bytes[bytes.length - 1] ?? 0) ^ 0x40;
    await store.environment.write(() => {
      segments.putSync(present(first), bytes);
      segments.removeSync(present(second));
    });
    assertWhole(store, present(await store.residency.load(ADA)));
  }
  await using store = await openStore(path);
  assert.is(store.environment.tables.segments.getKeysCount({}), 2);
  assertWhole(store, present(await store.residency.load(ADA)));
});

test('a segment that still holds a forgotten turn is noticed', async () => {
  const path = await storeOf(SEGMENT_ROWS + 10);
  await using store = await openStore(path);
  const { segments, rows, vectors } = store.environment.tables;
  const [key] = [...segments.getKeys()];
  const stale = Buffer.from(present(segments.get(present(key))));
  const record = present(store.log.scope(ADA));
  // What an older version that knows no segments would leave behind.
  await store.environment.write(() => {
    const row = Buffer.from([0, 0, 0, record.id, 0, 0, 0, 5]);
    rows.removeSync(row);
    vectors.removeSync(row);
    segments.putSync(present(key), stale);
  });
  const fewer = { ...record, turns: record.turns - 1 };
  store.log.scope = () => fewer;
  const resident = present(await store.residency.load(ADA));
  assert.is(present(resident.shard.position()).live, fewer.turns);
});

test('the event loop turns while a large scope is loaded, and what is there can be asked before it is all', async () => {
  const path = await storeOf(3000);
  await using store = await openStore(path);
  const { segments } = store.environment.tables;
  await store.environment.write(() => {
    for (const key of [...segments.getKeys()]) segments.removeSync(key);
  });
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  const part = present(await store.residency.load(ADA, 0));
  assert.is(part.complete, false);
  const held = present(part.shard.position()).live;
  assert.ok(held > 0 && held < 3000, `${held} turns after one slice`);
  const whole = present(await store.residency.load(ADA));
  clearInterval(timer);
  assert.is(whole.complete, true);
  assert.is(present(whole.shard.position()).live, 3000);
  assert.ok(turns > 0);
  assert.is(shardInfo(whole.shard.handle).rows, 3000);
});

test.run();
