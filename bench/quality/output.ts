// Prints a benchmark's result as JSON or tables, and writes it where --out says.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Invocation } from '../../src/cli/command.js';
import { print, printJson } from '../../src/cli/output.js';
import type { BenchResult } from './summary.js';
import { armRows, share, sliceRows, textTable } from './table.js';

/** One table's worth of figures. */
export interface NamedPart {
  /** Its key in the JSON, unless it is the first part: that one is the document itself. */
  name: string;
  title: string;
  result: BenchResult;
}

/** Pairs of arms whose overlap people still read in a line. */
const OVERLAPS_SHOWN = 10;

/** The first part, with the others and `extra` beside its fields. */
export function documentOf([main, ...apart]: readonly NamedPart[], extra: object = {}): object {
  return {
    ...main?.result,
    ...Object.fromEntries(apart.map(({ name, result }) => [name, result])),
    ...extra,
  };
}

/** Writes the document to --out, then prints it with --json, else the parts as tables. */
export async function emit(
  invocation: Invocation,
  file: string,
  parts: readonly NamedPart[],
  extra: object = {},
): Promise<void> {
  const document = documentOf(parts, extra);
  const folder = invocation.text('out');
  if (folder !== undefined) {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `${file}.json`), `${JSON.stringify(document, undefined, 1)}\n`);
  }
  if (invocation.flag('quiet')) return;
  if (invocation.flag('json')) return printJson(document);
  for (const { title, result } of parts) printResult(title, result);
}

/** Arm -> what the form-matched slices are read by. */
export function statementFigures({ arms }: BenchResult) {
  return Object.fromEntries(
    Object.entries(arms).map(([name, { recall1, recall5, ndcg10, n }]) => [
      name,
      { recall1, recall5, ndcg10, n },
    ]),
  );
}

function printResult(title: string, result: BenchResult): void {
  const { header, rows } = armRows(result);
  const slices = sliceRows(result);
  print(`\n${title}\n${headline(result)}\n\n${textTable(header, rows)}`);
  if (slices.rows.length > 0) print(`\n${textTable(slices.header, slices.rows)}`);
  const overlaps = Object.entries(result.overlap10).map(
    ([pair, value]) => `${pair.replace('|', ' and ')} ${value.toFixed(1)}`,
  );
  if (overlaps.length > 0 && overlaps.length <= OVERLAPS_SHOWN) {
    print(`\nShared among the first ten: ${overlaps.join(', ')}`);
  }
  const abstentions = Object.entries(result.arms).flatMap(([name, { abstention }]) =>
    abstention === undefined ? [] : [`${name} ${share(abstention)}`],
  );
  if (abstentions.length > 0) print(`Nothing handed on where there is no answer: ${abstentions.join(', ')}`);
}

/** One sentence on what was measured. */
export function headline(result: BenchResult): string {
  const { encoder, seed, n, turns, conversations, unanswerable, encodeMs, passagesPerSecond } = result;
  const without = unanswerable > 0 ? `, and ${unanswerable} without an answer` : '';
  return (
    `${encoder}, seed ${seed}: ${n} queries over ${turns} turns in ${conversations} conversations${without}; ` +
    `encoding a query takes ${encodeMs.p50.toFixed(1)} ms (p95 ${encodeMs.p95.toFixed(1)}), turns ${passagesPerSecond} a second`
  );
}
