// Child of recall.mjs: one peer on one data set in a process of its own, figures as JSON on stdout.
import './refuse-network.mjs';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gradesOf } from '../../dist/bench/quality/dataset.js';
import { mean, ndcgAt, percentile, recallAt, reciprocalRank } from '../../dist/bench/quality/metrics.js';
import { encodeDataset, queryText } from '../../dist/bench/quality/prepare.js';
import { bootstrapInterval } from '../../dist/bench/quality/statistics.js';
import { passageOf } from '../../dist/src/text/passage.js';
import { readSet, SEED } from './datasets.mjs';
import { denseAnswers } from './dense-answers.mjs';
import { openSharedEncoder } from './encoder.mjs';

const EVIDENCE = 10;
const { peer, set, encoder: wanted, data, queries } = JSON.parse(process.argv[2]);
const folder = mkdtempSync(join(tmpdir(), 'ontomem-peer-'));
const result = await measure().catch((error) => ({
  skipped: `${peer} on ${set}: ${error.message.split('\n')[0]}`,
}));
rmSync(folder, { recursive: true, force: true });
process.stdout.write(`${JSON.stringify(result)}\n`);
// What a peer left open does not keep the process.
process.exit(0);

async function measure() {
  const { name, open } = await import(`./memories/${peer}.mjs`);
  const dataset = readSet(set, { data, queries });
  if (typeof dataset === 'string') return { skipped: dataset };
  const encoder = await openSharedEncoder(wanted);
  await encodeDataset(dataset, (texts, role) => encoder.cache.encode(texts, role));
  const memory = await open(encoder, folder);
  const residentBefore = resident();
  const added = await addAll(memory, dataset);
  const residentBytes = resident() - residentBefore;
  const found = await searchAll(memory, dataset, await denseAnswers(dataset, encoder, EVIDENCE));
  await memory.close();
  const first = dataset.conversations[0];
  const encode = {
    turn: await encoder.measure(first.turns.map(passageOf), 'passage'),
    query: await encoder.measure(first.queries.map(queryText), 'query'),
  };
  await encoder.closeAll();
  return {
    peer: name,
    set,
    encoder: encoder.identity.name,
    ...added,
    ...found,
    residentBytes,
    encodeMs: encode,
  };
}

/** Milliseconds a turn without the encoder's time: vectors come from the cache. */
async function addAll(memory, { conversations }) {
  let turns = 0;
  const started = performance.now();
  for (const conversation of conversations) {
    for (const [session, said] of sessions(conversation)) {
      await memory.add(conversation.id, session, said);
      turns += said.length;
    }
  }
  return { turns, addMsPerTurn: (performance.now() - started) / turns };
}

function sessions({ turns }) {
  const bySession = new Map();
  for (const turn of turns) bySession.set(turn.session, [...(bySession.get(turn.session) ?? []), turn]);
  return bySession;
}

async function searchAll(memory, { conversations }, answers) {
  const times = [];
  const scores = [];
  const clusters = [];
  for (const { id, cluster = id, queries: asked } of conversations) {
    for (const query of asked) {
      const started = performance.now();
      const ids = await memory.search(id, query, EVIDENCE);
      times.push(performance.now() - started);
      clusters.push(cluster);
      scores.push(scoreOf(ids, query, answers.get(id)?.get(query.id) ?? []));
    }
  }
  const column = (name) => scores.map((score) => score[name]);
  const meanOf = (name) => mean(column(name));
  return {
    n: scores.length,
    recall1: meanOf('recall1'),
    recall5: meanOf('recall5'),
    recall10: meanOf('recall10'),
    ndcg10: meanOf('ndcg10'),
    mrr: meanOf('mrr'),
    ci95: {
      recall10: bootstrapInterval(column('recall10'), clusters, SEED),
      ndcg10: bootstrapInterval(column('ndcg10'), clusters, SEED),
    },
    emptyShare: meanOf('empty'),
    dense: { sameTen: meanOf('sameTen'), recall10: meanOf('denseRecall10') },
    searchMs: { p50: percentile(times, 0.5), p95: percentile(times, 0.95) },
  };
}

/** What one answer is worth, and whether its ten turns are those of exact search over the same vectors. */
function scoreOf(ids, query, exact) {
  const found = new Set(ids);
  return {
    recall1: recallAt(ids, query.gold, 1),
    recall5: recallAt(ids, query.gold, 5),
    recall10: recallAt(ids, query.gold, EVIDENCE),
    ndcg10: ndcgAt(ids, gradesOf(query), EVIDENCE),
    mrr: reciprocalRank(ids, query.gold),
    empty: Number(ids.length === 0),
    sameTen: Number(exact.length === found.size && exact.every((id) => found.has(id))),
    denseRecall10: recallAt(exact, query.gold, EVIDENCE),
  };
}

function resident() {
  globalThis.gc?.();
  return process.memoryUsage.rss();
}
