// Records of a run -> the figures that are printed and written: means, intervals, slices, latency, cost, overlap.
import type { Arm } from './arm.js';
import { mean, percentile } from './metrics.js';
import type { QueryRecord, Run } from './run.js';
import type { Outcome } from './score.js';
import { bootstrapInterval, holm, type Interval, pairedSignificance } from './statistics.js';

/** The quality figures of some queries. */
export interface Quality {
  /** Distinct questions; one that several deals ask counts once here and as often as asked in the means. */
  n: number;
  recall1: number;
  recall5: number;
  recall10: number;
  ndcg10: number;
  mrr: number;
  ci95: { recall10: Interval; ndcg10: Interval };
  /** Share of the questions with a wrong answer in memory that rank it above every gold turn. */
  misled?: number;
}

/** How an arm compares with the recall as served: p of the paired test, and Holm's over the whole table. */
export interface Comparison {
  difference: number;
  p: number;
  pHolm: number;
}

export interface ArmSummary extends Quality {
  source: string;
  faithfulness: number;
  p50Ms: number;
  p95Ms: number;
  p99Ms: number;
  /** What a user pays a query, each by itself: see Outcome. */
  promptTokens: number;
  encoderPasses: number;
  cpuMs: number;
  /** Of one conversation, on average. */
  bytesAtRest: number;
  /** Relative to dense only = 1. */
  cost: number;
  usdPerMillionQueries: number;
  /** Share of the questions without an answer for which it handed nothing on. */
  abstention?: number;
  slices: Record<string, Quality>;
}

/** What a benchmark prints with --json and writes with --out. */
export interface BenchResult {
  bench: string;
  split: string;
  encoder: string;
  seed: number;
  /** Queries with gold that the figures are means over. */
  n: number;
  unanswerable: number;
  conversations: number;
  turns: number;
  encodeMs: { p50: number; p95: number };
  passagesPerSecond: number;
  arms: Record<string, ArmSummary>;
  /** 'a|b' -> how many of their ten first turns two arms share, on average. */
  overlap10: Record<string, number>;
  /** 'a|b' -> p-value that they reach the same recall10. */
  significance: Record<string, number>;
  /** Arm -> slice ('all' for all of them) -> recall10 of the arm against the recall as served. */
  versusServed: Record<string, Record<string, Comparison>>;
}

/** The arm that costs 1. */
export const COST_UNIT = 'dense';
/** ontomem's recall as it is served. */
export const SERVED = 'fused';

export interface Labels {
  bench: string;
  split: string;
  encoder: string;
  seed: number;
}

/** Sums up a run over the records given: all of them, or a part reported apart. */
export function summarise(
  run: Run,
  records: readonly QueryRecord[],
  arms: readonly Arm[],
  labels: Labels,
): BenchResult {
  const answered = records.filter(({ gold }) => gold > 0);
  const unit = mean(answered.map((record) => record.outcomes[COST_UNIT]?.cost ?? 0));
  return {
    ...labels,
    n: new Set(answered.map(({ id }) => id)).size,
    unanswerable: records.length - answered.length,
    conversations: run.conversations,
    turns: run.turns,
    encodeMs: { p50: round(percentile(run.encodeMs, 0.5)), p95: round(percentile(run.encodeMs, 0.95)) },
    passagesPerSecond: Math.round(run.passagesPerSecond),
    arms: Object.fromEntries(arms.map((arm) => [arm.name, armSummary(arm, records, unit, labels.seed)])),
    overlap10: Object.fromEntries(
      pairs(arms).map(([a, b]) => [`${a}|${b}`, round(mean(answered.map((record) => shared(record, a, b))))]),
    ),
    significance: Object.fromEntries(
      pairs(arms).map(([a, b]) => [`${a}|${b}`, significance(answered, a, b, labels.seed)]),
    ),
    versusServed: versusServed(answered, arms, labels.seed),
  };
}

/** Means and intervals of one arm over some records. */
export function quality(records: readonly QueryRecord[], arm: string, seed: number): Quality {
  const outcomes = outcomesOf(records, arm);
  const clusters = records.map(({ cluster }) => cluster);
  const column = (pick: (outcome: Outcome) => number) => outcomes.map(pick);
  const interval = (pick: (outcome: Outcome) => number): Interval => {
    const [low, high] = bootstrapInterval(column(pick), clusters, seed);
    return [round(low), round(high)];
  };
  return {
    n: new Set(records.map(({ id }) => id)).size,
    recall1: round(mean(column(({ recall1 }) => recall1))),
    recall5: round(mean(column(({ recall5 }) => recall5))),
    recall10: round(mean(column(({ recall10 }) => recall10))),
    ndcg10: round(mean(column(({ ndcg10 }) => ndcg10))),
    mrr: round(mean(column(({ mrr }) => mrr))),
    ci95: { recall10: interval(({ recall10 }) => recall10), ndcg10: interval(({ ndcg10 }) => ndcg10) },
    ...misledShare(outcomes),
  };
}

function misledShare(outcomes: readonly Outcome[]): Pick<Quality, 'misled'> {
  const tempted = outcomes.flatMap(({ misled }) => (misled === undefined ? [] : [Number(misled)]));
  return tempted.length === 0 ? {} : { misled: round(mean(tempted)) };
}

/** Every arm and slice against the recall as served, corrected over the table (Holm, 1979). */
function versusServed(
  records: readonly QueryRecord[],
  arms: readonly Arm[],
  seed: number,
): BenchResult['versusServed'] {
  if (!arms.some(({ name }) => name === SERVED)) return {};
  const slices = ['all', ...new Set(records.flatMap(({ slices: labels }) => labels))].sort();
  const cells = arms.flatMap(({ name }) =>
    name === SERVED
      ? []
      : slices.map((slice) => {
          const part = slice === 'all' ? records : records.filter(({ slices: own }) => own.includes(slice));
          const column = (arm: string) => outcomesOf(part, arm).map(({ recall10 }) => recall10);
          const clusters = part.map(({ cluster }) => cluster);
          return {
            name,
            slice,
            difference: round(mean(column(name)) - mean(column(SERVED))),
            p: pairedSignificance(column(name), column(SERVED), clusters, seed),
          };
        }),
  );
  const corrected = holm(cells.map(({ p }) => p));
  const table: BenchResult['versusServed'] = {};
  for (const [place, { name, slice, difference, p }] of cells.entries()) {
    table[name] = {
      ...table[name],
      [slice]: { difference, p: round(p), pHolm: round(corrected[place] ?? 1) },
    };
  }
  return table;
}

/** Figures are told to the fourth decimal: below the intervals by two orders. */
export function round(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}

function armSummary(arm: Arm, records: readonly QueryRecord[], unit: number, seed: number): ArmSummary {
  const answered = records.filter(({ gold }) => gold > 0);
  const unanswered = records.filter(({ gold }) => gold === 0);
  const outcomes = outcomesOf(answered, arm.name);
  const latency = outcomes.flatMap(({ latencyMs }) => latencyMs ?? []);
  const cost = mean(outcomes.map((outcome) => outcome.cost));
  const labels = [...new Set(answered.flatMap(({ slices }) => slices))].sort();
  return {
    source: arm.source,
    ...quality(answered, arm.name, seed),
    faithfulness: round(mean(outcomes.map(({ faithfulness }) => faithfulness))),
    p50Ms: round(percentile(latency, 0.5)),
    p95Ms: round(percentile(latency, 0.95)),
    p99Ms: round(percentile(latency, 0.99)),
    promptTokens: round(mean(outcomes.map(({ promptTokens }) => promptTokens))),
    encoderPasses: round(mean(outcomes.map(({ encoderPasses }) => encoderPasses))),
    cpuMs: round(mean(outcomes.flatMap(({ cpuMs: busy }) => busy ?? []))),
    bytesAtRest: Math.round(mean(outcomes.map(({ bytesAtRest }) => bytesAtRest))),
    cost: unit === 0 ? 0 : round(cost / unit),
    usdPerMillionQueries: round(cost * 1e6),
    ...(unanswered.length === 0
      ? {}
      : {
          abstention: round(mean(outcomesOf(unanswered, arm.name).map(({ abstained }) => Number(abstained)))),
        }),
    slices: Object.fromEntries(
      labels.map((label) => [
        label,
        quality(
          answered.filter(({ slices }) => slices.includes(label)),
          arm.name,
          seed,
        ),
      ]),
    ),
  };
}

function outcomesOf(records: readonly QueryRecord[], arm: string): Outcome[] {
  return records.flatMap(({ outcomes }) => outcomes[arm] ?? []);
}

function significance(records: readonly QueryRecord[], a: string, b: string, seed: number): number {
  const column = (arm: string) => outcomesOf(records, arm).map(({ recall10 }) => recall10);
  return round(
    pairedSignificance(
      column(a),
      column(b),
      records.map(({ cluster }) => cluster),
      seed,
    ),
  );
}

function shared({ outcomes }: QueryRecord, a: string, b: string): number {
  const first = new Set(outcomes[a]?.top10);
  return (outcomes[b]?.top10 ?? []).filter((id) => first.has(id)).length;
}

function pairs(arms: readonly Arm[]): Array<[string, string]> {
  return arms.flatMap((a, position) =>
    arms.slice(position + 1).map((b): [string, string] => [a.name, b.name]),
  );
}
