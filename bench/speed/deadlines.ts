// bench deadlines: whether a recall with a deadline answers by it, whatever else the process does.
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import type { Command } from '../../src/cli/command.js';
import { print, printJson } from '../../src/cli/output.js';
import { type Encoder, type Memory, openEncoder, openMemory, type RecallRequest } from '../../src/index.js';
import { type Random, seededRandom } from '../random.js';
import { CoreClock } from './core-clock.js';
import { archiveOf, someText } from './made-up-archive.js';

const LARGE = { tenant: 'bench', user: 'large' };
const SMALL = { tenant: 'bench', user: 'small' };
const INGESTED = { tenant: 'bench', user: 'ingested' };
const LARGE_TURNS = 20_000;
const SMALL_TURNS = 1000;
const TURNS_AN_OBSERVE = 200;
const QUERY_BYTES = 64_000;
/** Recalls without a deadline that go on beside the measured ones. */
const OTHER_RECALLS = 4;
/** What a timer and one slice of other work may add: later is late. */
const GRACE_MS = 5;
/** Calls before the measured ones: the first of a process wait for its compiler. */
const WARM_UP = 10;

interface DeadlineRow {
  kind: string;
  deadlineMs: number;
  n: number;
  /** Calls that took longer than the deadline and 5 ms, from the call until its promise was resolved. */
  late: number;
  /** Of these, late even without the time for which the main thread had no core: what is ours to mend. */
  lateOnACore: number;
  /** Milliseconds, as the caller sees them. */
  p50: number;
  p99: number;
  max: number;
  /** Calls whose answer says that something was left out. */
  partial: number;
  /** How late the event loop's own timers were meanwhile: no deadline can be kept better. */
  loopP99: number;
  loopMax: number;
  /** Processes that wanted a core, over the last minute; the machine has `cores`. */
  load: number;
}

/** One kind of calls: what goes on beside them, what makes each ready, and what is asked. */
interface Kind {
  name: string;
  request(random: Random): Omit<RecallRequest, 'deadlineMs'>;
  before?(memory: Memory): Promise<unknown>;
  /** Runs until `stop` is aborted. */
  beside?(memory: Memory, stop: AbortSignal): Promise<void>;
}

const KINDS: readonly Kind[] = [
  { name: 'short query', request: (random) => ({ scope: SMALL, query: someText(random, 8) }) },
  { name: 'query of 512 tokens', request: (random) => ({ scope: SMALL, query: someText(random, 480) }) },
  { name: 'query of 64 KB', request: (random) => ({ scope: SMALL, query: longText(random) }) },
  {
    name: 'beside an ingest',
    request: (random) => ({ scope: SMALL, query: someText(random, 8) }),
    async beside(memory, stop) {
      for (let n = 0; !stop.aborted; n++) {
        const random = seededRandom('ingest', n);
        const turns = Array.from({ length: TURNS_AN_OBSERVE }, () => ({
          speaker: 'Ada',
          text: someText(random, 12),
        }));
        await memory.observe({ scope: INGESTED, turns });
      }
    },
  },
  {
    name: `cold scope of ${LARGE_TURNS} turns`,
    request: (random) => ({ scope: LARGE, query: someText(random, 8) }),
    // With no room to keep anything, the one takes the other's place.
    before: (memory) => memory.recall({ scope: SMALL, query: 'tea' }),
  },
  {
    name: `warm scope of ${LARGE_TURNS} turns`,
    request: (random) => ({ scope: LARGE, query: someText(random, 8) }),
  },
  {
    name: 'beside other recalls',
    request: (random) => ({ scope: SMALL, query: someText(random, 8) }),
    async beside(memory, stop) {
      await Promise.all(
        Array.from({ length: OTHER_RECALLS }, async (_, n) => {
          const random = seededRandom('other', n);
          while (!stop.aborted) await memory.recall({ scope: SMALL, query: someText(random, 8) });
        }),
      );
    },
  },
];

export const command: Command = {
  name: 'bench deadlines',
  words: '',
  summary:
    'Counts recalls that come later than their deadline and 5 ms, by what else goes on, with the real encoder.',
  example: 'npm run -s bench -- deadlines --json',
  options: {
    calls: { type: 'string', value: 'N', help: 'calls of each kind; 200 when absent' },
    deadlines: { type: 'string', value: 'MS,...', help: 'deadlines in milliseconds; 20 when absent' },
    encoder: { type: 'string', value: 'NAME', help: 'encoder; the default one when absent' },
  },
  async run(invocation) {
    const calls = invocation.number('calls') ?? 200;
    const deadlines = (invocation.text('deadlines') ?? '20').split(',').map(Number);
    const name = invocation.text('encoder');
    const encoder = await openEncoder(...(name === undefined ? [] : [name]));
    const path = mkdtempSync(join(tmpdir(), 'ontomem-deadlines-'));
    const rows: DeadlineRow[] = [];
    try {
      await fill(path, encoder);
      for (const kind of KINDS) {
        for (const deadlineMs of deadlines) {
          const row = await measure(path, encoder, kind, deadlineMs, calls);
          rows.push(row);
          if (!invocation.flag('json')) print(told(row));
        }
      }
    } finally {
      rmSync(path, { recursive: true, force: true });
      await encoder.close();
    }
    if (invocation.flag('json')) printJson({ bench: 'deadlines', graceMs: GRACE_MS, rows });
  },
};

async function fill(path: string, encoder: Encoder): Promise<void> {
  const memory = await openMemory({ path, encoder });
  await memory.import({ records: archiveOf(LARGE, encoder.identity, LARGE_TURNS) });
  await memory.import({ records: archiveOf(SMALL, encoder.identity, SMALL_TURNS) });
  await memory.close();
}

async function measure(
  path: string,
  encoder: Encoder,
  kind: Kind,
  deadlineMs: number,
  calls: number,
): Promise<DeadlineRow> {
  const limits = kind.before === undefined ? {} : { residentBytes: 1 };
  const memory = await openMemory({ path, encoder, limits });
  const random = seededRandom(kind.name, deadlineMs);
  const stop = new AbortController();
  const loop = monitorEventLoopDelay({ resolution: 1 });
  const beside = kind.beside?.(memory, stop.signal);
  const times: number[] = [];
  let partial = 0;
  let lateOnACore = 0;
  const core = new CoreClock();
  for (let n = -WARM_UP; n < calls; n++) {
    await kind.before?.(memory);
    const request = { ...kind.request(random), deadlineMs };
    if (n === 0) loop.enable();
    const [begin, waited] = [performance.now(), core.read().waited];
    const answer = await memory.recall(request);
    const took = performance.now() - begin;
    const onACore = took - (core.read().waited - waited);
    if (n < 0) continue;
    times.push(took);
    if (onACore > deadlineMs + GRACE_MS) lateOnACore++;
    if (answer.partial) partial++;
    // As calls come: not each one at the very moment at which the last one was answered.
    await wait(1);
  }
  loop.disable();
  core.close();
  stop.abort();
  await beside;
  await memory.close();
  times.sort((a, b) => a - b);
  const at = (share: number) =>
    times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? Number.NaN;
  return {
    kind: kind.name,
    deadlineMs,
    n: calls,
    late: times.filter((took) => took > deadlineMs + GRACE_MS).length,
    lateOnACore,
    p50: at(0.5),
    p99: at(0.99),
    max: at(1),
    partial,
    loopP99: loop.percentile(99) / 1e6,
    loopMax: loop.max / 1e6,
    load: loadavg()[0] ?? Number.NaN,
  };
}

function longText(random: Random): string {
  let text = '';
  while (text.length < QUERY_BYTES) text += `${someText(random, 100)} `;
  return text.slice(0, QUERY_BYTES);
}

function told(row: DeadlineRow): string {
  return Object.entries(row)
    .map(
      ([name, value]) =>
        `${name} ${typeof value === 'number' && !Number.isInteger(value) ? value.toFixed(1) : value}`,
    )
    .join('  ');
}
