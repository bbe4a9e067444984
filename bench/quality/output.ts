// Prints a benchmark's result as JSON or tables, and writes it where --out says.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Invocation } from '../../src/cli/command.js';
import { print, printJson } from '../../src/cli/output.js';
import type { BenchResult } from './summary.js';
import { armRows, share, sliceRows, textTable } from './table.js';

/** A result with parts that are reported apart from the main figures. */
export interface NamedPart {
  title: string;
  result: BenchResult;
}

/** `document` is what --json prints; people see the parts as tables. */
export async function emit(
  invocation: Invocation,
  file: string,
  document: unknown,
  parts: readonly NamedPart[],
): Promise<void> {
  const folder = invocation.text('out');
  if (folder !== undefined) {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `${file}.json`), `${JSON.stringify(document, undefined, 1)}\n`);
  }
  if (invocation.flag('json')) return printJson(document);
  for (const { title, result } of parts) printResult(title, result);
}

function printResult(title: string, result: BenchResult): void {
  print(`\n${title}`);
  print(
    `${result.encoder}, seed ${result.seed}: ${result.n} queries over ${result.turns} turns in ${result.conversations} conversations` +
      `${result.unanswerable > 0 ? `, and ${result.unanswerable} without an answer` : ''}; ` +
      `encoding a query: ${result.encodeMs.p50.toFixed(1)} ms (p95 ${result.encodeMs.p95.toFixed(1)})\n`,
  );
  const { header, rows } = armRows(result);
  print(textTable(header, rows));
  const slices = sliceRows(result);
  if (slices.rows.length > 0) print(`\n${textTable(slices.header, slices.rows)}`);
  const overlaps = Object.entries(result.overlap10).map(
    ([pair, value]) => `${pair.replace('|', ' and ')} ${value.toFixed(1)}`,
  );
  if (overlaps.length > 0 && overlaps.length <= 10)
    print(`\nShared among the first ten: ${overlaps.join(', ')}`);
  const abstentions = Object.entries(result.arms).flatMap(([name, { abstention }]) =>
    abstention === undefined ? [] : [`${name} ${share(abstention)}`],
  );
  if (abstentions.length > 0) print(`Nothing handed on where there is no answer: ${abstentions.join(', ')}`);
}
