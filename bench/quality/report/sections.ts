// The sections of the report, each made from results alone.

import { POOLS } from '../../ipr/statement-pools.js';
import { type GiveAways, MOST } from '../form/give-aways.js';
import { headline } from '../output.js';
import type { ArmSummary, BenchResult } from '../summary.js';
import { armRows, markdownTable, share, sliceRows, withInterval } from '../table.js';
import {
  PAPER_COLD,
  PAPER_HISTORY,
  PAPER_LOCOMO,
  PAPER_MAIN,
  PAPER_OVERLAP,
  PAPER_PATHOLOGY,
} from './paper.js';
import { type BenchDocument, type EncoderResults, partOf } from './results.js';

/** The paper's main table beside ours. */
export function mainTable(ipr: BenchDocument): string {
  const inPaper = new Set(PAPER_MAIN.map(({ arm }) => arm));
  const both = (ours: string | undefined, theirs: string) => `${ours ?? '-'} (${theirs})`;
  const rows = PAPER_MAIN.map((paper) => {
    const arm = ipr.arms[paper.arm];
    return [
      `${paper.arm} (${paper.method})`,
      both(arm && withInterval(arm), share(paper.recall10)),
      both(arm && share(arm.ndcg10), share(paper.ndcg10)),
      both(arm && share(arm.faithfulness), share(paper.faithfulness)),
      both(arm?.p95Ms.toFixed(0), String(paper.p95Ms)),
      both(arm?.cost.toFixed(2), paper.cost.toFixed(2)),
    ];
  });
  const further = Object.entries(ipr.arms)
    .filter(([name]) => !inPaper.has(name))
    .map(([name, arm]) => [
      name,
      withInterval(arm),
      share(arm.ndcg10),
      share(arm.faithfulness),
      arm.p95Ms.toFixed(0),
      arm.cost.toFixed(2),
    ]);
  const header = ['ours (paper)', 'R@10 [95%]', 'nDCG@10', 'faithfulness', 'P95 ms', 'cost'];
  return markdownTable(header, [...rows, ...further]);
}

/** A result under the name that its column has. */
export interface LabelledResult {
  label: string;
  result: BenchResult | undefined;
}

/** Pools of statements as columns of R@1 / R@5 / nDCG@10, an arm a row. */
export function statementTable(pools: readonly LabelledResult[]): string {
  return columnsTable('R@1 / R@5 / nDCG@10', pools, (arm) =>
    [arm.recall1, arm.recall5, arm.ndcg10].map(share).join(' / '),
  );
}

/** What each split gives away to whoever does not read the request, beside what it may. */
export function giveAwayTable({ form }: BenchDocument): string {
  // Written by `bench ipr`.
  const rows = Object.entries(form as Record<string, GiveAways>).map(([split, own]) =>
    giveAwayRow(split, own),
  );
  return markdownTable(
    ['split', 'form AUC', 'ten longest, R@10', 'no query, R@10'],
    [...rows, giveAwayRow('at most', MOST)],
  );
}

function giveAwayRow(label: string, { auc, longest10, noQuery }: GiveAways): string[] {
  return [label, ...[auc, longest10, noQuery].map(share)];
}

/** How often the wrong answer in memory ranks above every right one, by slice. */
export function misledTable(ipr: BenchDocument): string {
  const arms = Object.entries(ipr.arms);
  const slices = Object.entries(arms[0]?.[1].slices ?? {}).flatMap(([slice, { misled }]) =>
    slice.startsWith('slice=') && misled !== undefined ? [slice] : [],
  );
  return markdownTable(
    ['misled', ...slices.map((slice) => slice.replace('slice=', ''))],
    arms.map(([name, arm]) => [name, ...slices.map((slice) => share(arm.slices[slice]?.misled))]),
  );
}

/** Every figure and slice of one result. */
export function fullTables(result: BenchResult): string {
  const main = armRows(result);
  const slices = sliceRows(result);
  return [
    headline(result),
    markdownTable(main.header, main.rows),
    markdownTable(slices.header, slices.rows),
  ].join('\n\n');
}

export function locomoTable(locomo: BenchDocument): string {
  const rows = Object.entries(locomo.arms).map(([name, arm]) => [
    name,
    withInterval(arm),
    share(arm.ndcg10),
    ...['1', '2', '3', '4'].map((category) => share(arm.slices[`category=${category}`]?.recall10)),
    name in PAPER_LOCOMO
      ? `${share(PAPER_LOCOMO[name]?.recall10)} / ${share(PAPER_LOCOMO[name]?.ndcg10)}`
      : '',
  ]);
  const header = [
    'method',
    'R@10 [95%]',
    'nDCG@10',
    'multi-hop',
    'temporal',
    'open',
    'single-hop',
    'paper, implicit slice',
  ];
  return markdownTable(header, rows);
}

/** Parts of a document as columns of R@10 / nDCG@10, an arm a row. */
export function partsTable(parts: readonly LabelledResult[]): string {
  return columnsTable(
    'R@10 / nDCG@10',
    parts,
    ({ recall10, ndcg10 }) => `${share(recall10)} / ${share(ndcg10)}`,
  );
}

/** The results that are there as columns, an arm a row. */
function columnsTable(
  figures: string,
  parts: readonly LabelledResult[],
  cell: (arm: ArmSummary) => string,
): string {
  const there = parts.flatMap(({ label, result }) => (result === undefined ? [] : [{ label, result }]));
  const arms = Object.keys(there[0]?.result.arms ?? {});
  const rows = arms.map((name) => [
    name,
    ...there.map(({ result }) => {
      const arm = result.arms[name];
      return arm === undefined ? '-' : cell(arm);
    }),
  ]);
  return markdownTable([figures, ...there.map(({ label, result }) => `${label} (n ${result.n})`)], rows);
}

export function scalingNote(): string {
  const { '1x': from, '8x': to } = PAPER_HISTORY;
  return `Paper, the system: R@10 ${share(from.recall10)} to ${share(to.recall10)}, nDCG@10 ${share(from.ndcg10)} to ${share(to.ndcg10)} from 87 turns to 696.`;
}

export function coldTable(coldstart: BenchDocument): string {
  const mature = partOf(coldstart, 'mature');
  const rows = Object.entries(coldstart.arms).map(([name, cold]) => {
    const grown = mature?.arms[name];
    const paper = name === 'dense' || name === 'fused' ? name : undefined;
    return [
      name,
      ...[
        cold.recall1,
        cold.ndcg10,
        cold.mrr,
        grown?.recall1,
        grown?.ndcg10,
        grown?.mrr,
        grown?.recall10,
      ].map(share),
      paper === undefined ? '' : `${share(PAPER_COLD.cold[paper])} / ${share(PAPER_COLD.mature[paper])}`,
    ];
  });
  const header = [
    'method',
    'cold R@1',
    'cold nDCG@10',
    'cold MRR',
    'mature R@1',
    'mature nDCG@10',
    'mature MRR',
    'mature R@10',
    'paper R@10, cold / mature',
  ];
  return markdownTable(header, rows);
}

export function pathologyTable(pathology: BenchDocument): string {
  const columns: Array<[string, BenchResult | undefined]> = [
    ['alias', pathology],
    ...['gap', 'ellipsis', 'changed', 'other'].map((name): [string, BenchResult | undefined] => [
      name,
      partOf(pathology, name),
    ]),
  ];
  const ours = Object.keys(pathology.arms).map((name) => [
    name,
    ...columns.map(([, result]) => share(result?.arms[name]?.recall10)),
  ]);
  const paper = (['dense', 'fused'] as const).map((arm) => [
    `paper: ${arm === 'fused' ? 'the system' : arm}`,
    ...(['alias', 'gap', 'ellipsis'] as const).map((name) => share(PAPER_PATHOLOGY[name][arm])),
    '-',
    '-',
  ]);
  return markdownTable(
    ['R@10', ...columns.map(([name, result]) => `${name} (n ${result?.n ?? 0})`)],
    [...ours, ...paper],
  );
}

export function overlapSection(ipr: BenchDocument): string {
  const rows = Object.entries(ipr.overlap10)
    .filter(([pair]) => pair.startsWith('dense|'))
    .map(([pair, value]) => [pair.replace('dense|', ''), value.toFixed(1)]);
  return `${markdownTable(['shared with the top ten of dense', 'items'], rows)}\n\nPaper, graph and dense: ${PAPER_OVERLAP}.`;
}

/** The same arms with several encoders, and which arm leads with which. */
export function encodersSection(all: readonly EncoderResults[]): string {
  const sets: ReadonlyArray<{ label: string; of(results: EncoderResults): BenchResult | undefined }> = [
    { label: 'IPR, whole dialogues', of: ({ documents }) => documents.ipr },
    ...POOLS.map((pool) => ({
      label: `IPR, statements, ${pool}`,
      of: ({ documents }: EncoderResults) => partOf(documents.ipr, pool),
    })),
    { label: 'IPR, two friends', of: ({ documents }) => partOf(documents.ipr, 'friends') },
    { label: 'LoCoMo', of: ({ documents }) => documents.locomo },
    { label: 'PrefEval explicit', of: ({ documents }) => documents.prefeval },
    { label: 'PrefEval choice', of: ({ documents }) => partOf(documents.prefeval, 'choice') },
    { label: 'PrefEval persona', of: ({ documents }) => partOf(documents.prefeval, 'persona') },
  ];
  return sets
    .flatMap(({ label, of }) => {
      const parts = all.map((results) => ({ label: results.encoder, result: of(results) }));
      if (parts.every(({ result }) => result === undefined)) return [];
      return [`### ${label}`, partsTable(parts), leaders(parts)];
    })
    .join('\n\n');
}

/** Says who leads with which encoder, so that a method that wins with one only is told. */
function leaders(parts: readonly LabelledResult[]): string {
  const best = parts.flatMap(({ label, result }) => {
    const [first] = Object.entries(result?.arms ?? {}).sort(([, a], [, b]) => b.recall10 - a.recall10);
    return first === undefined ? [] : [{ encoder: label, arm: first[0] }];
  });
  const arms = new Set(best.map(({ arm }) => arm));
  if (arms.size === 1) return `Highest R@10 with every encoder: ${[...arms].join()}.`;
  return `Highest R@10: ${best.map(({ encoder, arm }) => `${arm} with ${encoder}`).join(', ')}.`;
}
