// The border to the native addon: what crosses it, what is refused with which code, what is shared.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { NONE, NodeKind, RECALL_STATS } from '../../src/native/layout.js';
import { cudaStatus, forward, loadModel } from '../../src/native/models.js';
import { packRecallParameters, readPath, recall, search } from '../../src/native/recall.js';
import {
  appendEdges,
  closeShard,
  compactShard,
  evictShard,
  followRows,
  followSegment,
  makeRoom,
  openShard,
  packSegment,
  readEdges,
  shardInfo,
  shardPosition,
} from '../../src/native/shard.js';
import type { EdgeColumns, RowBatch, ShardHandle } from '../../src/native/types.js';
import { DENSE_FIRST } from '../../src/retrieve/strategy.js';
import { appendRows } from '../support/append-rows.js';
import { failure, present } from '../support/expecting.js';

const test = suite('native');
const DIMENSION = 4;
const SCOPE = Buffer.from('a user');
let shard: ShardHandle = 0;

/** Turn i of a batch points along axis i mod 4 and has the term i. */
function turns(count: number, first = 0): RowBatch {
  const vectors = new Float32Array(count * DIMENSION);
  for (let i = 0; i < count; i++) vectors[i * DIMENSION + ((first + i) % DIMENSION)] = 1;
  return {
    count,
    vectors,
    atMs: Float64Array.from({ length: count }, (_, i) => first + i),
    session: new Uint32Array(count),
    speaker: new Uint32Array(count),
    flags: new Uint32Array(count),
    termOffsets: Uint32Array.from({ length: count + 1 }, (_, i) => i),
    terms: Uint32Array.from({ length: 2 * count }, (_, i) => (i % 2 === 0 ? first + i / 2 : 0)),
    termCounts: new Uint16Array(count).fill(1),
    lengths: new Uint32Array(count).fill(1),
  };
}

function edge(source: number, target: number): EdgeColumns {
  return {
    source: Uint32Array.of(source),
    target: Uint32Array.of(target),
    type: Uint16Array.of(3),
    weight: Float32Array.of(0.5),
    fromMs: Float64Array.of(0),
    toMs: Float64Array.of(Number.POSITIVE_INFINITY),
    evidenceRow: Uint32Array.of(NONE),
  };
}

const along = (axis: number) => Float32Array.from({ length: DIMENSION }, (_, i) => (i === axis ? 1 : 0));
const hits = (room: number) => ({
  rows: new Uint32Array(room),
  scores: new Float32Array(room),
  counts: new Uint32Array(room),
});

test.before.each(() => {
  shard = openShard('native test', SCOPE, DIMENSION, 'f32');
  appendRows(shard, turns(8));
});
test.after.each(() => evictShard(shard));

test('rows are numbered by append, also after a refused batch', async () => {
  const broken = turns(2, 8);
  broken.vectors[5] = Number.NaN;
  const error = await failure('NATIVE_NOT_FINITE', () => appendRows(shard, broken));
  assert.match(error.message, /followRows: vectors: not finite/);
  assert.is(appendRows(shard, turns(2, 8)), 8);
  assert.is(shardInfo(shard).rows, 10);
});

test('a view into a larger buffer is read from its own offset', () => {
  const larger = new Float32Array(100).fill(9);
  larger.set(along(2), 17);
  const found = hits(1);
  search(shard, larger.subarray(17, 17 + DIMENSION), 1, found);
  assert.is(found.rows[0], 6);
  assert.is(found.scores[0], 1);
});

test('one search answers many queries', () => {
  const found = hits(3 * 2);
  search(shard, Float32Array.of(...along(0), ...along(1), ...along(3)), 2, found);
  assert.equal([...found.rows], [4, 0, 5, 1, 7, 3]);
  assert.equal([...found.counts.subarray(0, 3)], [2, 2, 2]);
});

test('recall fills the caller arrays and explains by path', () => {
  appendEdges(shard, edge(NodeKind.concept + 7, 5));
  const output = { rows: new Uint32Array(8), scores: new Float32Array(8), paths: new Uint32Array(8) };
  const parameters = packRecallParameters({ ...DENSE_FIRST, hops: 1, graphWeight: 5, limit: 8 });
  const request = {
    parameters,
    seeds: Uint32Array.of(NodeKind.concept + 7),
    seedWeights: Float32Array.of(1),
  };
  const count = recall(shard, { ...request, queries: along(0), viewWeights: Float32Array.of(1) }, output);
  assert.is(count, 8);
  assert.is(output.rows[0], 5);
  const path = readPath(output.paths[0] ?? NONE);
  assert.equal(
    path.map(({ node }) => node),
    [NodeKind.concept + 7, 5],
  );
  assert.is(readEdges(shard, Uint32Array.of(path[1]?.edge ?? NONE)).weight[0], 0.5);
  assert.equal(readPath(NONE), []);
});

/** Forgets by the store's numbers. */
function forget(...numbers: number[]): { compactionDue: boolean } {
  const { nextStored, changes } = present(shardPosition(shard));
  const from = { nextStored, changes };
  return followRows(shard, {
    from,
    to: { nextStored, changes: changes + 1 },
    forgotten: Uint32Array.from(numbers),
  });
}

/** How many of the terms of a query, here one, some turn has. */
function termsKnown(term: number): number | undefined {
  const stats = new Float64Array(RECALL_STATS.length);
  const parameters = packRecallParameters({ ...DENSE_FIRST, limit: 8 });
  recall(shard, { parameters, terms: Uint32Array.of(term, 0) }, { rows: new Uint32Array(8), stats });
  return stats[RECALL_STATS.indexOf('termsKnown')];
}

test('forgotten turns are in no arm, and all others keep their numbers through a compaction', async () => {
  appendRows(shard, turns(200, 8));
  assert.is(forget(3).compactionDue, false);
  const found = hits(300);
  // The lexical arm knows the term of the forgotten turn no more, that of its neighbour still.
  assert.equal([3, 4].map(termsKnown), [0, 1]);
  search(shard, along(3), 300, found);
  assert.is(found.counts[0], 207);
  assert.not(found.rows.subarray(0, found.counts[0]).includes(3));
  assert.is(forget(...Array.from({ length: 100 }, (_, i) => 2 * i + 8)).compactionDue, true);
  compactShard(shard);
  for (let waited = 0; shardInfo(shard).layout === 0 && waited < 500; waited++) await setTimeout(10);
  assert.is(shardInfo(shard).rows, 107);
  search(shard, along(1), 1, found);
  assert.is(found.rows[0], 205);
});

test('a step is done once, and by nobody who looked before it', () => {
  const from = { nextStored: 8, changes: 0 };
  const step = { from, to: { nextStored: 20, changes: 2 }, forgotten: Uint32Array.of(0, 1) };
  const rows = { ...turns(3, 8), stored: Uint32Array.of(9, 12, 19) };
  assert.is(followRows(shard, step, rows).done, true);
  assert.is(followRows(shard, step, rows).done, false);
  assert.equal(shardPosition(shard), { nextStored: 20, changes: 2, live: 9 });
});

test('a segment is refused when a bit of it is changed', async () => {
  const segment = packSegment(DIMENSION, { ...turns(5, 8), stored: Uint32Array.of(8, 9, 10, 11, 12) });
  const step = { from: { nextStored: 8, changes: 0 }, to: { nextStored: 13, changes: 0 } };
  const changed = segment.slice();
  changed[100] = (changed[100] ?? 0) ^ 1;
  await failure('NATIVE_BAD_ARGUMENT', () => followSegment(shard, step, DIMENSION, changed));
  assert.is(followSegment(shard, step, DIMENSION, segment).done, true);
  const found = hits(1);
  search(shard, along(0), 1, found);
  assert.is(found.rows[0], 12);
});

test('a closed or evicted shard is a stale handle, not another shard', async () => {
  const handle = openShard('native test', Buffer.from('someone'), DIMENSION, 'f32');
  closeShard(handle);
  const other = openShard('native test', Buffer.from('someone else'), DIMENSION, 'f32');
  await failure('NATIVE_STALE_HANDLE', () => shardInfo(handle));
  await failure('NATIVE_STALE_HANDLE', () => appendRows(handle, turns(1)));
  await failure('NATIVE_STALE_HANDLE', () => closeShard(handle));
  evictShard(other);
  await failure('NATIVE_STALE_HANDLE', () => shardInfo(other));
});

test('keys that would join to the same text are different shards', () => {
  const one = openShard('ab', Buffer.from('c'), DIMENSION, 'f32');
  const two = openShard('a', Buffer.from('bc'), DIMENSION, 'f32');
  assert.is.not(one, two);
  assert.is(openShard('ab', Buffer.from('c'), DIMENSION, 'f32'), one);
  evictShard(one);
  evictShard(two);
});

test('wrong arguments name themselves', async () => {
  const wrong = { ...turns(1, 8), atMs: new Float32Array(1) as unknown as Float64Array };
  const error = await failure('NATIVE_BAD_ARGUMENT', () => appendRows(shard, wrong));
  assert.match(error.message, /atMs/);
  await failure('NATIVE_BAD_ARGUMENT', () => openShard('native test', SCOPE, 8, 'f32'));
  await failure('NATIVE_BAD_ARGUMENT', () => openShard('x', SCOPE, 0, 'f32'));
  await failure('NATIVE_BAD_ARGUMENT', () => search(shard, new Float32Array(3), 1, hits(1)));
  await failure('NATIVE_BAD_ARGUMENT', () => search(shard, along(0), 0, hits(1)));
  await failure('NATIVE_BAD_ARGUMENT', () => search(shard, along(0), 2, hits(1)));
  await failure('NATIVE_BAD_ARGUMENT', () => appendEdges(shard, edge(8, 1)));
  await failure('NATIVE_BAD_ARGUMENT', () => readEdges(shard, Uint32Array.of(0)));
});

test('room is made by the least recently used, for every thread', () => {
  const other = openShard('native test', Buffer.from('another'), DIMENSION, 'f32');
  assert.is(makeRoom(shard, 2 ** 40), 0);
  assert.is(makeRoom(shard, 0), 1);
  assert.is(shardPosition(other), undefined);
  assert.is(present(shardPosition(shard)).live, 8);
  closeShard(other);
});

test('a model is run by its handle and replaced by its name', () => {
  const shape = { inputs: 2, hidden: 1, outputs: 1, activation: 'linear' } as const;
  const model = loadModel('native test', Float32Array.of(1, 2, 0, 3, 0.5), shape);
  const out = new Float32Array(2);
  forward(model, Float32Array.of(1, 1, -5, 0), out);
  assert.equal([...out], [9.5, 0.5]);
  assert.is(loadModel('native test', Float32Array.of(1, 2, 0, 1, 0), shape), model);
  forward(model, Float32Array.of(1, 1), out);
  assert.is(out[0], 3);
});

test('worker threads read while the main thread writes', () => {
  const script = join(import.meta.dirname, '../../../native/test/worker_race.mjs');
  const result = JSON.parse(execFileSync(process.execPath, [script, '1', '2'], { encoding: 'utf8' }));
  assert.ok(result.recalls > 0 && result.writes > 0);
  assert.is(result.residentBytes, 0);
});

test('CUDA is told, not required', () => {
  assert.ok(['ok', 'not built', 'no device'].includes(cudaStatus()));
});

test.run();
