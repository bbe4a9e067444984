// The figures of the report: recall by the age of the statement, by history length, and against cost.
import { mean } from '../metrics.js';
import type { BenchResult } from '../summary.js';
import { PAPER_GAP_DENSE } from './paper.js';
import { plot, type Series } from './plot.js';
import { type BenchDocument, partOf } from './results.js';

/** The slices of the gap figure with the middle of each. */
const GAPS = [
  { label: '1-20', at: 10 },
  { label: '21-40', at: 30 },
  { label: '41-59', at: 50 },
  { label: '60+', at: 70 },
] as const;
const HISTORIES = [1, 2, 4, 8] as const;

export function gapFigure(ipr: BenchDocument): string {
  const ours = Object.entries(ipr.arms).map(
    ([name, { slices }]): Series => ({
      name,
      points: GAPS.flatMap(({ label, at }) => {
        const slice = slices[`gap=${label}`];
        return slice === undefined ? [] : [{ x: at, y: slice.recall10 }];
      }),
    }),
  );
  const paper: Series = {
    name: 'dense (paper)',
    points: GAPS.flatMap(({ label, at }) => {
      const recall = PAPER_GAP_DENSE[label];
      return recall === undefined ? [] : [{ x: at, y: recall }];
    }),
  };
  return plot([...ours, paper], {
    title: 'Implicit recall by the age of the statement',
    xLabel: 'turns since the statement',
    yLabel: 'Recall@10',
    xTicks: GAPS.map(({ label, at }) => ({ at, label })),
  });
}

export function historyFigure(scaling: BenchDocument): string {
  const parts = HISTORIES.map((history): { history: number; result: BenchResult | undefined } => ({
    history,
    result: history === 1 ? scaling : partOf(scaling, `${history}x`),
  }));
  const series = Object.keys(scaling.arms).map(
    (name): Series => ({
      name,
      points: parts.flatMap(({ history, result }) => {
        const arm = result?.arms[name];
        return arm === undefined ? [] : [{ x: history, y: arm.recall10 }];
      }),
    }),
  );
  return plot(series, {
    title: 'Implicit recall as the history grows',
    xLabel: 'history, times the dialogue',
    yLabel: 'Recall@10',
    xTicks: HISTORIES.map((at) => ({ at, label: `${at}x` })),
    logX: true,
  });
}

export function paretoFigure(ipr: BenchDocument): string {
  const series = Object.entries(ipr.arms).map(
    ([name, { cost, recall10 }]): Series => ({
      name,
      points: [{ x: cost, y: recall10 }],
    }),
  );
  return plot(series, {
    title: 'Implicit recall against cost (dense only = 1)',
    xLabel: 'cost a query, logarithmic',
    yLabel: 'Recall@10',
    scatter: true,
    logX: true,
    xTicks: powersOfTwo(Object.values(ipr.arms).map(({ cost }) => cost)),
  });
}

/** The methods that no other one beats in both recall and cost, cheapest first. */
export function paretoFront({ arms }: BenchResult): string[] {
  return Object.entries(arms)
    .filter(
      ([, { cost, recall10 }]) =>
        !Object.values(arms).some(
          (other) =>
            other.cost <= cost &&
            other.recall10 >= recall10 &&
            (other.cost < cost || other.recall10 > recall10),
        ),
    )
    .sort(([, a], [, b]) => a.cost - b.cost)
    .map(([name]) => name);
}

/** Mean recall of all methods at a gap: whether old statements are harder here at all. */
export function meanRecallAt({ arms }: BenchResult, gap: string): number {
  return mean(Object.values(arms).flatMap(({ slices }) => slices[`gap=${gap}`]?.recall10 ?? []));
}

/** Ticks that reach around all values. */
function powersOfTwo(values: readonly number[]): Array<{ at: number; label: string }> {
  const low = Math.floor(Math.log2(Math.min(...values)));
  const high = Math.ceil(Math.log2(Math.max(...values)));
  return Array.from({ length: high - low + 1 }, (_, step) => 2 ** (low + step)).map((at) => ({
    at,
    label: String(at),
  }));
}
