// ontomem's exact search beside what a user would link instead; every ratio is of one run, round by round.
import { parseArgs } from 'node:util';
import { clusteredUnitVectors } from './vectors.mjs';

const SEARCHES = ['ontomem', 'faiss-default', 'faiss-blas', 'usearch', 'simsimd', 'hnswlib', 'faiss-node'];
const LIMIT = 10;
/** Different queries in turn, so that no branch is learnt by heart. */
const QUERY_SETS = 16;
/** Rounds in which every peer has its turn: a slow minute of the machine hits all alike. */
const ROUNDS = 9;
const ROUND_MS = 20;
/** Rows of a peer that takes seconds a call say nothing more. */
const MOST_CALL_MS = 2000;

const { values } = parseArgs({
  options: {
    d: { type: 'string', default: '384,768,1024' },
    n: { type: 'string', default: '100,1000,10000,50000' },
    batch: { type: 'string', default: '1,32' },
    peers: { type: 'string', default: SEARCHES.join(',') },
    json: { type: 'boolean' },
    help: { type: 'boolean' },
  },
});
if (values.help) {
  process.stdout.write(
    'Usage: node bench/peers/kernels.mjs [--d D,..] [--n N,..] [--batch B,..] [--peers A,..] [--json]\n' +
      `  peers: ${SEARCHES.join(', ')}\n` +
      '  npm ci --prefix bench/peers installs those for Node, bench/peers/faiss/setup FAISS\n',
  );
} else {
  await main();
}

async function main() {
  const numbers = (text) => text.split(',').map(Number);
  const rows = [];
  const skipped = new Map();
  for (const dimension of numbers(values.d)) {
    for (const count of numbers(values.n)) {
      for (const batch of numbers(values.batch)) {
        for (const row of await measure({ dimension, count, batch, limit: LIMIT }, skipped)) {
          rows.push(row);
          if (!values.json) print(row);
        }
      }
    }
  }
  for (const sentence of skipped.values()) process.stderr.write(`${sentence}\n`);
  if (values.json)
    process.stdout.write(`${JSON.stringify({ bench: 'peers', rows, skipped: [...skipped.values()] })}\n`);
}

/** One size: opens every peer on the same rows, times them in turn, and sets each beside ontomem. */
async function measure(size, skipped) {
  const { dimension, count, batch } = size;
  const vectors = clusteredUnitVectors(count, dimension, 1);
  const queries = Array.from({ length: QUERY_SETS }, (_, i) =>
    clusteredUnitVectors(batch, dimension, 100 + i),
  );
  const opened = [];
  for (const peer of values.peers.split(',')) {
    if (peer === 'faiss-blas' && batch === 1) continue;
    try {
      const { name, open } = await import(`./searches/${peer}.mjs`);
      opened.push(await prepared(name, await open({ ...size, vectors, queries }), queries));
    } catch (error) {
      // Every ratio is to ontomem: without it there is nothing to say.
      if (peer === 'ontomem') throw error;
      skipped.set(peer, `${peer} skipped: ${error.message.split('\n')[0]}`);
    }
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const peer of opened) peer.us.push(await peer.timeRound(peer.calls));
  }
  const rows = opened.map((peer) => rowOf(peer, opened[0], size));
  for (const peer of opened) await peer.close();
  return rows;
}

/** Learns how many calls fill a round. */
async function prepared(name, search, queries) {
  const timeRound = search.timeRound ?? ((calls) => timeHere(search.run, queries, calls));
  await timeRound(1);
  const us = await timeRound(1);
  const calls =
    us > MOST_CALL_MS * 1000 ? 1 : Math.max(1, Math.min(20_000, Math.round((ROUND_MS * 1000) / us)));
  await timeRound(calls);
  search.run?.(queries[0]);
  const first = await search.first();
  const emptyCallUs = await search.emptyCall?.();
  return { name, timeRound, calls, us: [], first, emptyCallUs, close: () => search.close() };
}

function timeHere(run, queries, calls) {
  const started = performance.now();
  for (let call = 0; call < calls; call++) run(queries[call % queries.length]);
  return ((performance.now() - started) / calls) * 1000;
}

/** `ratio`: how many times ontomem's time, the median over rounds; `agrees`: share of its top 10 also found. */
function rowOf(peer, own, { dimension, count, batch }) {
  const ratios = peer.us.map((us, round) => us / own.us[round]);
  const found = new Set(peer.first);
  return {
    peer: peer.name,
    d: dimension,
    n: count,
    batch,
    us: median(peer.us),
    ratio: median(ratios),
    ratioLow: Math.min(...ratios),
    ratioHigh: Math.max(...ratios),
    agrees: own.first.filter((row) => found.has(row)).length / own.first.length,
    ...(peer.emptyCallUs === undefined ? {} : { emptyCallUs: peer.emptyCallUs }),
  };
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1];
}

function print(row) {
  const { peer, d, n, batch, us, ratio, ratioLow, ratioHigh, agrees, emptyCallUs } = row;
  const empty = emptyCallUs === undefined ? '' : `, empty call ${emptyCallUs.toFixed(2)} us`;
  process.stdout.write(
    `${peer.padEnd(26)} d ${d}  n ${String(n).padStart(6)}  batch ${String(batch).padStart(2)}  ${us.toFixed(2).padStart(10)} us` +
      `  x${ratio.toFixed(2)} (${ratioLow.toFixed(2)}-${ratioHigh.toFixed(2)})  agrees ${agrees.toFixed(2)}${empty}\n`,
  );
}
