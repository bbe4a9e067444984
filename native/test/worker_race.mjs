// Worker threads against the main thread on the same shards, through the addon.
// Usage: node worker_race.mjs [seconds] [readers]. Under ThreadSanitizer: see scripts/sanitize.mjs.
import { createRequire } from 'node:module';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

const require = createRequire(import.meta.url);
const addon = require(process.env.ONTOMEM_ADDON ?? '../../build/Release/ontomem.node');
const DIMENSION = 32;
const LARGEST_ROWS = 2000;
const ROOM = 64;
const STORE = 'worker race';
const SCOPE = Buffer.from('one user');

function parameters(values) {
  const defaults = {
    asOfMs: Infinity, nowMs: Infinity, fromMs: -Infinity, toMs: Infinity, halfLifeMs: Infinity, deadlineUs: Infinity,
    session: -1, speaker: -1, speakerCue: -1, scorer: -1, maps: -1,
    denseWeight: 0.7, lexicalWeight: 0.3, previousGain: 0.35, nextGain: 0.2, bm25K1: 1.2, bm25B: 0.75,
    contentWeight: 1, graphWeight: 1, calibrationSlope: 1, hops: 2, hopDecay: 0.8, fanOut: 16, expansionBudget: 512,
    candidates: ROOM, denseQuota: 8, lexicalQuota: 8, graphQuota: 8, limit: ROOM,
  };
  return Float64Array.from(addon.layout.parameters, (name) => ({ ...defaults, ...values })[name] ?? 0);
}

/** Row i points along axis i mod d and has the term i mod 11: a torn row would show. */
function append(handle, first, count) {
  const column = (value) => Uint32Array.from({ length: count }, (_, i) => value(first + i));
  const vectors = new Float32Array(count * DIMENSION);
  for (let i = 0; i < count; i++) vectors[i * DIMENSION + ((first + i) % DIMENSION)] = 1;
  return follow(
    handle, first + count, [], count, column((row) => row), vectors,
    Float64Array.from({ length: count }, (_, i) => first + i),
    column((row) => Math.floor(row / 50)), column((row) => row % 3),
    column(() => 0), Uint32Array.from({ length: count + 1 }, (_, i) => i),
    Uint32Array.from({ length: 2 * count }, (_, i) => (i % 2 === 0 ? (first + i / 2) % 11 : 0)),
    new Uint16Array(count).fill(1), new Uint32Array(count).fill(4),
  );
}

/** One step of the shard; a compaction that became due runs on another thread. */
function follow(handle, next, forgotten, ...rows) {
  const at = new Uint32Array(3);
  for (;;) {
    if (addon.shardPosition(handle, at) === 0) throw new Error('the shard was evicted under its writer');
    const changes = at[1] + (forgotten.length > 0 ? 1 : 0);
    const done = addon.followRows(
      handle, Uint32Array.of(at[0], at[1], next ?? at[0], changes, 0), Uint32Array.from(forgotten), ...(rows.length > 0 ? rows : [0]),
    );
    if ((done & 2) !== 0) addon.compactShard(handle);
    // A compaction was at it.
    if ((done & 1) !== 0) return;
  }
}

function isStale(error) {
  return error.code === 'NATIVE_STALE_HANDLE';
}

function read({ until }) {
  const out = { rows: new Uint32Array(ROOM), scores: new Float32Array(ROOM), stats: new Float64Array(addon.layout.stats.length) };
  const paths = new Uint32Array(ROOM);
  let recalls = 0;
  for (let turn = 0; Date.now() < until; turn++) {
    const handle = addon.openShard(STORE, SCOPE, DIMENSION, 'f32');
    try {
      for (let i = 0; i < 50 && Date.now() < until; i++, recalls++) {
        const query = new Float32Array(DIMENSION);
        query[(turn + i) % DIMENSION] = 1;
        const count = addon.recall(
          handle, parameters({ asOfMs: i % 2 === 0 ? Infinity : i * 20 }), query, Float32Array.of(1),
          Uint32Array.of(i % 11, 0), undefined, Uint32Array.of(0x80000001), Float32Array.of(1),
          undefined, undefined, undefined, out.rows, out.scores, undefined, undefined, paths, out.stats,
        );
        for (let place = 0; place < count; place++) {
          if (out.rows[place] > LARGEST_ROWS + 20) throw new Error('a row that was never written');
          if (!(out.scores[place] >= 0 && out.scores[place] <= 1)) throw new Error('a score outside [0, 1]');
        }
      }
      addon.closeShard(handle);
    } catch (error) {
      if (!isStale(error)) throw error;
    }
  }
  parentPort.postMessage(recalls);
}

async function main() {
  const seconds = Number(process.argv[2] ?? 2);
  const readers = Number(process.argv[3] ?? 2);
  const until = Date.now() + seconds * 1000;
  const finished = Array.from({ length: readers }, () => {
    const worker = new Worker(new URL(import.meta.url), { workerData: { until } });
    return new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
  });
  let handle = addon.openShard(STORE, SCOPE, DIMENSION, 'f32');
  let rows = 0;
  let writes = 0;
  while (Date.now() < until) {
    const count = 1 + (writes % 20);
    append(handle, rows, count);
    rows += count;
    if (writes % 3 === 0) {
      addon.appendEdges(
        handle, 1, Uint32Array.of(0xc0000001), Uint32Array.of(rows - 1), Uint16Array.of(3), Float32Array.of(0.5),
        Float64Array.of(-Infinity), Float64Array.of(Infinity), Uint32Array.of(rows - 1),
      );
    }
    if (writes % 7 === 0) follow(handle, undefined, Array.from({ length: 12 }, (_, i) => (rows >>> 1) + i));
    writes++;
    if (rows > LARGEST_ROWS) {
      addon.evictShard(handle);
      handle = addon.openShard(STORE, SCOPE, DIMENSION, 'f32');
      rows = 0;
    }
    // The event loop turns, so that a reader's error ends the run.
    await new Promise((resolve) => setImmediate(resolve));
  }
  const recalls = (await Promise.all(finished)).reduce((sum, each) => sum + each, 0);
  addon.evictShard(handle);
  console.log(JSON.stringify({ test: 'worker race', seconds, readers, recalls, writes, residentBytes: addon.residentBytes() }));
}

if (isMainThread) await main();
else read(workerData);
