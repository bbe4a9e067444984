// Runs arms over a data set: every arm ranks every query, timed, and each ranking is scored.
import { performance } from 'node:perf_hooks';
import { type Progress, progress } from '../../src/cli/output.js';
import type { Encoder } from '../../src/contract/encoder.js';
import { passageOf } from '../../src/text/passage.js';
import { type Arm, type ArmServices, readsVector } from './arm.js';
import { type BenchEncoder, cachedServices, servicesOf } from './bench-encoder.js';
import type { BenchConversation, Dataset } from './dataset.js';
import { encodeDataset, type Prepared, prepareConversation, wordsOf } from './prepare.js';
import { type Outcome, score } from './score.js';

/** Queries encoded one by one to learn what a query's encoding takes. */
const ENCODINGS_TIMED = 48;
/** Passages encoded together to learn how many go through in a second. */
const PASSAGES_TIMED = 192;

/** One query with what each arm made of it. */
export interface QueryRecord {
  id: string;
  conversation: string;
  cluster: string;
  slices: readonly string[];
  /** Gold turns; 0 for a question without an answer. */
  gold: number;
  outcomes: Readonly<Record<string, Outcome>>;
}

export interface Run {
  records: QueryRecord[];
  conversations: number;
  turns: number;
  /** What encoding one query alone took, milliseconds. */
  encodeMs: readonly number[];
  /** Passages a second through the encoder, batched, past the cache. */
  passagesPerSecond: number;
}

/** What encoding one query alone took. */
interface Encoding {
  wallMs: number;
  cpuMs: number;
}

/** What stays the same for every conversation of a run. */
interface Setting {
  arms: readonly Arm[];
  services: ArmServices;
  /** Absent where nothing is timed. */
  encodings: readonly Encoding[] | undefined;
  bar: Progress;
}

export interface RunOptions {
  /** Measure times, with every text of query time encoded anew. Default true. */
  timed?: boolean;
}

/** Ranks every query of the data set with every arm, conversation by conversation. */
export async function runArms(
  dataset: Dataset,
  arms: readonly Arm[],
  opened: BenchEncoder,
  { timed = true }: RunOptions = {},
): Promise<Run> {
  const { encoder } = opened;
  const services = timed ? servicesOf(opened) : cachedServices(opened);
  await encodeDataset(dataset, services);
  const encodings = timed ? await timeEncodings(dataset, encoder) : undefined;
  const passagesPerSecond = timed ? await timePassages(dataset, encoder) : 0;
  const queries = dataset.conversations.reduce((sum, conversation) => sum + conversation.queries.length, 0);
  const bar = progress(`Ranking ${dataset.name}`, queries * arms.length);
  const setting: Setting = { arms, services, encodings, bar };
  const records: QueryRecord[] = [];
  try {
    for (const conversation of dataset.conversations) {
      records.push(...(await rankConversation(conversation, setting)));
    }
  } finally {
    bar.stop();
  }
  const turns = dataset.conversations.reduce((sum, conversation) => sum + conversation.turns.length, 0);
  return {
    records,
    conversations: dataset.conversations.length,
    turns,
    encodeMs: encodings?.map(({ wallMs }) => wallMs) ?? [],
    passagesPerSecond,
  };
}

async function rankConversation(source: BenchConversation, setting: Setting): Promise<QueryRecord[]> {
  const prepared = await prepareConversation(source, setting.services);
  const byArm = new Map<string, Outcome[]>();
  for (const arm of setting.arms) byArm.set(arm.name, await rankQueries(arm, prepared, setting));
  return prepared.queries.map(({ id, slices, gold }, position) => ({
    id,
    conversation: source.id,
    cluster: source.cluster ?? source.id,
    slices,
    gold: gold.size,
    outcomes: Object.fromEntries(
      [...byArm].flatMap(([name, outcomes]) => {
        const outcome = outcomes[position];
        return outcome === undefined ? [] : [[name, outcome]];
      }),
    ),
  }));
}

/** One arm over the queries of a conversation, in their order. */
async function rankQueries(
  arm: Arm,
  { conversation, queries }: Prepared,
  { services, encodings, bar }: Setting,
): Promise<Outcome[]> {
  const rank = await arm.prepare(conversation, services);
  const outcomes: Outcome[] = [];
  for (const [position, query] of queries.entries()) {
    const started = performance.now();
    const busy = process.cpuUsage();
    const ranking = await rank(query);
    const rankedMs = performance.now() - started;
    const { user, system } = process.cpuUsage(busy);
    const encoding = readsVector(arm) ? encodings?.[position % encodings.length] : undefined;
    const times =
      encodings === undefined
        ? {}
        : {
            latencyMs: rankedMs + (encoding?.wallMs ?? 0),
            cpuMs: (user + system) / 1000 + (encoding?.cpuMs ?? 0),
          };
    outcomes.push(score({ arm, ranking, times }, query, conversation, services.encoder));
    bar.advance(1);
  }
  return outcomes;
}

async function timePassages(dataset: Dataset, encoder: Encoder): Promise<number> {
  const texts = [...new Set(dataset.conversations.flatMap(({ turns }) => turns.map(passageOf)))];
  const stride = Math.max(1, Math.floor(texts.length / PASSAGES_TIMED));
  const sample = texts.filter((_, position) => position % stride === 0).slice(0, PASSAGES_TIMED);
  const started = performance.now();
  await encoder.encode(sample, { role: 'passage' });
  return (sample.length / (performance.now() - started)) * 1000;
}

async function timeEncodings(dataset: Dataset, encoder: Encoder): Promise<Encoding[]> {
  const texts = dataset.conversations.flatMap((conversation) =>
    conversation.queries.map((query) => wordsOf(query, encoder)),
  );
  const stride = Math.max(1, Math.floor(texts.length / ENCODINGS_TIMED));
  const sample = texts.filter((_, position) => position % stride === 0).slice(0, ENCODINGS_TIMED);
  const times: Encoding[] = [];
  for (const text of sample) {
    const started = performance.now();
    const busy = process.cpuUsage();
    await encoder.encode([text], { role: 'query' });
    const { user, system } = process.cpuUsage(busy);
    times.push({ wallMs: performance.now() - started, cpuMs: (user + system) / 1000 });
  }
  return times;
}
