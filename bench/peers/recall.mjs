// Recall, time and memory of the memories a user would take instead, beside ontomem's: prints JSON.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { setNames } from './datasets.mjs';

const PEERS = { ontomem: undefined, mem0: 'mem0ai', langgraph: '@langchain/langgraph-checkpoint' };
const USAGE = `Usage: node bench/peers/recall.mjs [--sets A,B] [--peers A,B] [--encoder NAME|DIR] [--data DIR] [--queries N]
  sets: ${setNames.join(', ')}
  peers: ${Object.keys(PEERS).join(', ')} (install the others with: npm ci --prefix bench/peers)
  data: folder with locomo10.json and prefeval/ (default: data/ in the folder ONTOMEM_SHARED names)`;
/** mem0 reads every stored row for each search: half a second a query over the 6,664 turns of IPR's test split. */
const QUERIES = '500';

const here = fileURLToPath(new URL('.', import.meta.url));
const { values } = parseArgs({
  options: {
    sets: { type: 'string', default: setNames.join(',') },
    peers: { type: 'string', default: Object.keys(PEERS).join(',') },
    encoder: { type: 'string' },
    data: { type: 'string' },
    queries: { type: 'string', default: QUERIES },
    json: { type: 'boolean' },
    help: { type: 'boolean' },
  },
});
if (values.help) {
  process.stdout.write(`${USAGE}\n`);
} else {
  const rows = [];
  const skipped = [];
  for (const set of values.sets.split(',')) {
    for (const peer of values.peers.split(',')) {
      const result = measure(peer.trim(), set.trim());
      if (result.skipped === undefined) rows.push(result);
      else skipped.push(result.skipped);
    }
  }
  for (const sentence of new Set(skipped)) process.stderr.write(`${sentence}\n`);
  const result = { bench: 'memories', rows, skipped: [...new Set(skipped)] };
  if (values.json) process.stdout.write(`${JSON.stringify(result)}\n`);
  else for (const row of rows) process.stdout.write(lineOf(row));
}

function measure(peer, set) {
  if (!Object.hasOwn(PEERS, peer))
    return { skipped: `there is no peer '${peer}'; there are ${Object.keys(PEERS)}` };
  const needed = PEERS[peer];
  if (needed !== undefined && !existsSync(join(here, 'node_modules', needed))) {
    return { skipped: `${peer} skipped: install it with npm ci --prefix bench/peers` };
  }
  const data = values.data ?? (process.env.ONTOMEM_SHARED && join(process.env.ONTOMEM_SHARED, 'data'));
  const work = { peer, set, encoder: values.encoder, data, queries: Number(values.queries) };
  const child = spawnSync(
    process.execPath,
    ['--expose-gc', join(here, 'measure-memory.mjs'), JSON.stringify(work)],
    {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
      maxBuffer: 1 << 28,
    },
  );
  const line = child.stdout?.trim().split('\n').at(-1);
  return line
    ? JSON.parse(line)
    : { skipped: `${peer} on ${set}: ended with ${child.status ?? child.signal}` };
}

function lineOf({
  peer,
  set,
  n,
  turns,
  recall10,
  ci95,
  ndcg10,
  dense,
  addMsPerTurn,
  searchMs,
  encodeMs,
  residentBytes,
}) {
  const encoding = `encoding ${encodeMs.turn.toFixed(1)} a turn, ${encodeMs.query.toFixed(1)} a query`;
  const interval = ci95.recall10.map((end) => end.toFixed(3)).join(', ');
  return (
    `${set.padEnd(19)} ${peer.padEnd(24)} n ${n}, ${turns} turns: R@10 ${recall10.toFixed(3)} [${interval}]` +
    `  nDCG@10 ${ndcg10.toFixed(3)}  dense ${dense.recall10.toFixed(3)}, same ten ${dense.sameTen.toFixed(3)}` +
    `  add ${addMsPerTurn.toFixed(2)} ms a turn  search p50 ${searchMs.p50.toFixed(2)} p95 ${searchMs.p95.toFixed(2)} ms` +
    `  (+ ${encoding})  ${(residentBytes / 2 ** 20).toFixed(1)} MB\n`
  );
}
