// The query lift: trained by the seed, told by the encoder, refused when damaged, useful on a real pair.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readCorpus } from '../../bench/ipr/corpus.js';
import { Candidates } from '../../bench/quality/arms/candidates.js';
import { benchEncoder, servicesOf } from '../../bench/quality/bench-encoder.js';
import { iprStatements } from '../../bench/quality/datasets/ipr.js';
import { recallAt } from '../../bench/quality/metrics.js';
import { prepareConversation } from '../../bench/quality/prepare.js';
import { VectorCache } from '../../bench/quality/vector-cache.js';
import { decodeQueryLift, encodeQueryLift, type QueryLift } from '../../src/contract/checkpoint.js';
import type { EncoderIdentity } from '../../src/contract/encoder.js';
import { openEncoder } from '../../src/encode/open-encoder.js';
import type { OntomemError } from '../../src/errors.js';
import { type LiftExample, liftQuery, trainQueryLift } from '../../src/learn/query-lift.js';
import { openQueryLift } from '../../src/retrieve/query-lift.js';

const test = suite('query lift');
const DIMENSION = 8;
const SHIPPED = fileURLToPath(new URL('../../../models/query-lift/', import.meta.url));
let folder = '';

test.before.each(() => {
  folder = mkdtempSync(join(tmpdir(), 'ontomem-lift-'));
});
test.after.each(() => rmSync(folder, { recursive: true, force: true }));

function unit(values: readonly number[]): Float32Array {
  const norm = Math.hypot(...values) || 1;
  return Float32Array.from(values, (value) => value / norm);
}

/** Statements are their requests turned by one place: a map that a good lift must find. */
function turned(count: number): LiftExample[] {
  return Array.from({ length: count }, (_, n) => {
    const query = Array.from({ length: DIMENSION }, (__, i) => Math.sin(1 + n * 3.7 + i * (n + 2)));
    const positive = [...query.slice(-1), ...query.slice(0, -1)];
    return { query: unit(query), positive: unit(positive), negatives: [unit(query)] };
  });
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
}

const LIFT: QueryLift = {
  encoder: {
    name: 'e',
    sha256: 'abc',
    configSha256: 'def',
    dimension: 2,
    pooling: 'mean',
    queryPrefix: 'q ',
    passagePrefix: '',
    maxTokens: 512,
    precision: 'f32',
  },
  map: Float32Array.of(1, 0, 0, 1),
  seed: 1,
  epochs: 2,
  pairs: 3,
};

test('training brings requests to their statements, also those it has not seen', async () => {
  const map = await trainQueryLift(turned(600).slice(0, 500), { dimension: DIMENSION, seed: 1, epochs: 80 });
  const unseen = turned(600).slice(500);
  const before = unseen.filter(
    ({ query, positive, negatives }) => dot(query, positive) > dot(query, negatives[0] ?? query),
  );
  const after = unseen.filter(({ query, positive, negatives }) => {
    const lifted = liftQuery(map, query);
    return dot(lifted, positive) > dot(lifted, negatives[0] ?? query);
  });
  assert.is(before.length, 0);
  assert.ok(after.length > 90, `${after.length} of 100`);
});

test('the same seed gives the same map, another seed another', async () => {
  const train = (seed: number) => trainQueryLift(turned(200), { dimension: DIMENSION, seed, epochs: 2 });
  assert.equal(await train(1), await train(1));
  assert.not.equal(await train(1), await train(2));
});

test('a checkpoint survives being written and read', () => {
  assert.equal(decodeQueryLift(encodeQueryLift(LIFT), 'f'), LIFT);
});

test('a damaged checkpoint is named, not served', () => {
  const bytes = encodeQueryLift(LIFT);
  const damaged = [
    bytes.subarray(0, bytes.length - 3),
    Buffer.from('not a checkpoint at all'),
    Buffer.alloc(0),
    encodeQueryLift({ ...LIFT, encoder: { ...LIFT.encoder, dimension: 3 } }),
    encodeQueryLift({ ...LIFT, map: Float32Array.of(1, Number.NaN, 0, 1) }),
  ];
  for (const [place, content] of damaged.entries()) {
    const file = join(folder, 'lift.pb');
    writeFileSync(file, content);
    assert.throws(
      () => decodeQueryLift(readFileSync(file), file),
      (error: OntomemError) => error.code === 'CHECKPOINT_INVALID' && error.input === file,
      `case ${place}`,
    );
  }
});

test('an encoder without a lift of its own is served without', () => {
  writeFileSync(join(folder, 'lift.pb'), encodeQueryLift(LIFT));
  assert.type(openQueryLift(LIFT.encoder, folder), 'number');
  assert.type(openQueryLift({ ...LIFT.encoder, name: 'renamed' }, folder), 'number');
  const others: Array<Partial<EncoderIdentity>> = [
    { sha256: 'x' },
    { configSha256: 'x' },
    { dimension: 3 },
    { pooling: 'cls' },
    { queryPrefix: '' },
    { passagePrefix: 'p ' },
    { maxTokens: 128 },
    { precision: 'f16' },
  ];
  for (const other of others) assert.is(openQueryLift({ ...LIFT.encoder, ...other }, folder), undefined);
});

test('the shipped lift is of the default encoder and finds more of the statements that requests ask for', async () => {
  const encoder = await openEncoder();
  const cache = await VectorCache.open(encoder);
  try {
    assert.type(openQueryLift(encoder.identity), 'number');
    const { map } = decodeQueryLift(readFileSync(join(SHIPPED, `${encoder.identity.name}.pb`)), 'shipped');
    // Dev persons' statements among fifty of others: nothing of it was trained on.
    const { conversations } = iprStatements(readCorpus('dev'), 'plus50', 1);
    const services = servicesOf(benchEncoder(encoder, cache));
    const found = { plain: 0, lifted: 0, asked: 0 };
    for (const source of conversations) {
      const { conversation, queries } = await prepareConversation(source, services);
      const candidates = new Candidates(conversation);
      const places = conversation.turns.map((_, place) => place);
      for (const { vector, gold } of queries) {
        found.asked++;
        found.plain += recallAt(candidates.ranked(candidates.dense(vector), places), gold, 5);
        const lifted = candidates.dense(liftQuery(map, vector));
        found.lifted += recallAt(candidates.ranked(lifted, places), gold, 5);
      }
    }
    const gain = (found.lifted - found.plain) / found.asked;
    assert.ok(gain >= 0.02, `R@5 rises by ${gain.toFixed(3)}`);
  } finally {
    await cache.close();
    await encoder.close();
  }
});

test.run();
