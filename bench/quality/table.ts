// Figures as a table for people: plain text in a terminal, Markdown in a report.
import type { BenchResult, Quality } from './summary.js';

export type Row = readonly string[];

/** Columns as wide as their widest cell; the first is left-aligned, the others right-aligned. */
export function textTable(header: Row, rows: readonly Row[]): string {
  const all = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...all.map((row) => [...(row[column] ?? '')].length)));
  const cell = (text: string, column: number, width: number) =>
    column === 0 ? text.padEnd(width) : text.padStart(width);
  const line = (row: Row) =>
    widths
      .map((width, column) => cell(row[column] ?? '', column, width))
      .join('  ')
      .trimEnd();
  return [line(header), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(line)].join('\n');
}

export function markdownTable(header: Row, rows: readonly Row[]): string {
  const line = (row: Row) => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [
    line(header),
    line(header.map((_, column) => (column === 0 ? '---' : '---:'))),
    ...rows.map(line),
  ].join('\n');
}

/** '.583', as the paper writes shares. */
export function share(value: number | undefined): string {
  return value === undefined ? '-' : value.toFixed(3).replace(/^0/, '');
}

export function withInterval(quality: Quality): string {
  const [low, high] = quality.ci95.recall10;
  return `${share(quality.recall10)} [${share(low)}, ${share(high)}]`;
}

/** The main figures, an arm a row. */
export function armRows(result: BenchResult): { header: Row; rows: Row[] } {
  const header = [
    'method',
    'R@1',
    'R@5',
    'R@10 [95%]',
    'nDCG@10',
    'MRR',
    'faithful',
    'p50 ms',
    'p95 ms',
    'tokens on',
    'passes',
    'cpu ms',
    'KB',
    'cost',
    'p vs dense',
  ];
  const rows = Object.entries(result.arms).map(([name, arm]) => [
    name,
    share(arm.recall1),
    share(arm.recall5),
    withInterval(arm),
    share(arm.ndcg10),
    share(arm.mrr),
    share(arm.faithfulness),
    arm.p50Ms.toFixed(1),
    arm.p95Ms.toFixed(1),
    arm.promptTokens.toFixed(0),
    arm.encoderPasses.toFixed(1),
    arm.cpuMs.toFixed(1),
    (arm.bytesAtRest / 1024).toFixed(0),
    arm.cost.toFixed(2),
    name === 'dense' ? '' : pValue(result.significance[`dense|${name}`]),
  ]);
  return { header, rows };
}

/** R@10 / nDCG@10 of every slice, an arm a column. */
export function sliceRows(result: BenchResult): { header: Row; rows: Row[] } {
  const arms = Object.entries(result.arms);
  const labels = Object.keys(arms[0]?.[1].slices ?? {});
  const rows = labels.map((label) => [
    label,
    String(arms[0]?.[1].slices[label]?.n ?? 0),
    ...arms.map(([, arm]) => `${share(arm.slices[label]?.recall10)}/${share(arm.slices[label]?.ndcg10)}`),
  ]);
  return { header: ['slice (R@10/nDCG@10)', 'n', ...arms.map(([name]) => name)], rows };
}

function pValue(value: number | undefined): string {
  if (value === undefined) return '-';
  return value < 0.001 ? '<.001' : share(value);
}
