// bench load: bringing one large user into memory, with the file in the page cache and without.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Command } from '../../src/cli/command.js';
import { print, printJson } from '../../src/cli/output.js';
import type { EncoderIdentity } from '../../src/contract/encoder.js';
import { search } from '../../src/native/recall.js';
import type { VectorFormat } from '../../src/native/types.js';
import { Environment } from '../../src/store/environment.js';
import { Residency, type Resident } from '../../src/store/residency.js';
import { TurnReader } from '../../src/store/turns/turn-reader.js';
import { type IndexedTurn, TurnWriter } from '../../src/store/turns/turn-writer.js';
import { between, type Random, seededRandom } from '../random.js';

const SCOPE = { tenant: 'bench', user: 'load' };
const FORMATS: readonly VectorFormat[] = ['f32', 'bf16', 'int8'];
const TURNS_A_COMMIT = 2000;
const TERMS_A_TURN = 12;
const VOCABULARY = 20_000;
const TURNS_A_SESSION = 40;
const QUERIES = 50;
const K = 10;
const ROOMY = 2 ** 36;
/** Shown once, over several loads: the machine is shared and a single time says little. */
const REPEATS = 5;

interface LoadRow {
  turns: number;
  format: VectorFormat;
  /** The data file is read from the disk; null where the page cache cannot be emptied of it. */
  coldMs: number | null;
  /** The data file is in the page cache; median. */
  warmMs: number;
  warmFastestMs: number;
  /** The longest the event loop was held while a warm load ran. */
  longestHoldMs: number;
  bytes: number;
  /** One exact search over all turns, median. */
  searchUs: number;
  /** Share of the exact ten best that are found. */
  recallAt10: number;
}

export const command: Command = {
  name: 'bench load',
  words: '',
  summary:
    'Times loading one user from the disk, and tells bytes, search time and recall of each vector format.',
  example: 'npm run -s bench -- load --turns 100000 --json',
  options: {
    turns: { type: 'string', value: 'N,...', help: 'turns of the user; 1,000 to 100,000 when absent' },
    dimension: { type: 'string', value: 'D', help: 'dimension of the vectors; 384 when absent' },
  },
  async run(invocation) {
    const sizes = (invocation.text('turns') ?? '1000,10000,100000').split(',').map(Number);
    const dimension = invocation.number('dimension') ?? 384;
    const rows: LoadRow[] = [];
    const json = invocation.flag('json');
    for (const turns of sizes) {
      for await (const row of measure(turns, dimension)) {
        rows.push(row);
        if (!json)
          print(
            Object.entries(row)
              .map(([name, value]) => `${name} ${told(value)}`)
              .join('  '),
          );
      }
    }
    if (json) printJson({ bench: 'load', rows });
  },
};

async function* measure(turns: number, dimension: number): AsyncGenerator<LoadRow> {
  const path = mkdtempSync(join(tmpdir(), 'ontomem-load-'));
  try {
    const random = seededRandom('load', turns, dimension);
    const queries = new Float32Array(QUERIES * dimension);
    for (let n = 0; n < QUERIES; n++) queries.set(unitVector(random, dimension), n * dimension);
    await fill(path, turns, dimension, random);
    let exact: Uint32Array | undefined;
    for (const format of FORMATS) {
      const { row, found } = await measureFormat(path, turns, dimension, format, queries);
      exact ??= found;
      yield { ...row, recallAt10: overlap(exact, found) };
    }
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}

async function measureFormat(
  path: string,
  turns: number,
  dimension: number,
  format: VectorFormat,
  queries: Float32Array,
): Promise<{ row: Omit<LoadRow, 'recallAt10'>; found: Uint32Array }> {
  const coldMs = forgetPages(path) ? await withResidency(path, dimension, format, timedLoad) : null;
  const warm: number[] = [];
  let longestHoldMs = Number.POSITIVE_INFINITY;
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    await withResidency(path, dimension, format, async (residency) => {
      const held = monitorEventLoopDelay({ resolution: 1 });
      held.enable();
      warm.push(await timedLoad(residency));
      held.disable();
      // The machine's own pauses come on top: the best of the repeats is ours.
      longestHoldMs = Math.min(longestHoldMs, held.max / 1e6);
    });
  }
  return withResidency(path, dimension, format, async (residency) => {
    const { shard } = await loaded(residency);
    const found = new Uint32Array(QUERIES * K);
    const times: number[] = [];
    for (let n = 0; n < QUERIES; n++) {
      const output = { rows: new Uint32Array(K), scores: new Float32Array(K), counts: new Uint32Array(1) };
      const begin = performance.now();
      search(shard.handle, queries.subarray(n * dimension, (n + 1) * dimension), K, output);
      times.push((performance.now() - begin) * 1000);
      found.set(output.rows, n * K);
    }
    const row = {
      turns,
      format,
      coldMs,
      warmMs: median(warm),
      warmFastestMs: Math.min(...warm),
      longestHoldMs,
      bytes: shard.bytes,
      searchUs: median(times),
    };
    return { row, found };
  });
}

async function timedLoad(residency: Residency): Promise<number> {
  const begin = performance.now();
  await loaded(residency);
  return performance.now() - begin;
}

async function loaded(residency: Residency): Promise<Resident> {
  const resident = await residency.load(SCOPE);
  if (resident?.complete !== true) throw new Error('the benchmark user was not loaded');
  return resident;
}

async function withResidency<T>(
  path: string,
  dimension: number,
  format: VectorFormat,
  action: (residency: Residency) => Promise<T>,
): Promise<T> {
  const environment = await Environment.open(path, { readOnly: true });
  const residency = new Residency(
    environment,
    new TurnReader(environment),
    identity(dimension),
    ROOMY,
    format,
  );
  try {
    return await action(residency);
  } finally {
    await residency.close();
    await environment.close();
  }
}

/** Writes the user as observing would, without an encoder. */
async function fill(path: string, turns: number, dimension: number, random: Random): Promise<void> {
  const environment = await Environment.open(path);
  const writer = new TurnWriter(environment, new TurnReader(environment));
  for (let n = 0; n < turns; n += TURNS_A_COMMIT) {
    const count = Math.min(TURNS_A_COMMIT, turns - n);
    await writer.append(
      SCOPE,
      Array.from({ length: count }, (_, i) => indexedTurn(n + i, dimension, random)),
    );
  }
  await environment.close();
}

function indexedTurn(n: number, dimension: number, random: Random): IndexedTurn {
  const words = new Set(Array.from({ length: TERMS_A_TURN }, () => between(random, 1, VOCABULARY)));
  const termHashes = Uint32Array.from(
    [...words].flatMap((word) => [Math.imul(word, 0x9e3779b1) >>> 0, word]),
  );
  return {
    turn: {
      id: `t${n}`,
      session: `s${Math.floor(n / TURNS_A_SESSION)}`,
      speaker: n % 2 === 0 ? 'Ada' : 'Bo',
      text: `turn ${n}`,
      at: n * 60_000,
      dateSource: 'given',
    },
    vector: unitVector(random, dimension),
    flags: 0,
    termHashes,
    termCounts: new Uint16Array(words.size).fill(1),
    length: words.size,
  };
}

function unitVector(random: Random, dimension: number): Float32Array {
  const vector = Float32Array.from({ length: dimension }, () => random() - 0.5);
  const norm = Math.hypot(...vector);
  return vector.map((value) => value / norm);
}

/** Asks the operating system to drop the file from its page cache; GNU dd does, and needs no rights for it. */
function forgetPages(path: string): boolean {
  const { status } = spawnSync('dd', [`if=${join(path, 'data.mdb')}`, 'iflag=nocache', 'count=0']);
  return status === 0;
}

function overlap(exact: Uint32Array, found: Uint32Array): number {
  let shared = 0;
  for (let n = 0; n < QUERIES; n++) {
    const best = new Set(exact.subarray(n * K, (n + 1) * K));
    for (const row of found.subarray(n * K, (n + 1) * K)) shared += best.has(row) ? 1 : 0;
  }
  return shared / (QUERIES * K);
}

function identity(dimension: number): EncoderIdentity {
  return {
    name: 'bench',
    sha256: '0'.repeat(64),
    configSha256: '0'.repeat(64),
    dimension,
    maxTokens: 512,
    precision: 'f32',
    pooling: 'mean',
    queryPrefix: '',
    passagePrefix: '',
  };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

function told(value: number | string | null): string {
  if (typeof value !== 'number') return value ?? '-';
  return Number.isInteger(value) ? String(value) : value.toPrecision(4);
}
