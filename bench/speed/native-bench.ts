// A benchmark command around a native program: options handed on, rows printed as JSON or as a table.
import type { Command, Invocation, OptionSpecs } from '../../src/cli/command.js';
import { print, printJson } from '../../src/cli/output.js';
import { buildProgram, type Row, rowsOf } from './native-program.js';

export interface NativeBench {
  name: string;
  summary: string;
  example: string;
  program: string;
  /** Options of the program, passed through by name. */
  options: OptionSpecs;
  /** Columns of the table, in order; JSON has all that the program prints. */
  columns: readonly string[];
}

export function nativeBench(bench: NativeBench): Command {
  return {
    name: `bench ${bench.name}`,
    words: '',
    summary: bench.summary,
    example: bench.example,
    options: bench.options,
    async run(invocation) {
      const program = buildProgram(bench.program);
      const rows: Row[] = [];
      const json = invocation.flag('json');
      if (!json) print(bench.columns.map((column) => column.padStart(width(column))).join(' '));
      for await (const row of rowsOf(program, passedOn(bench.options, invocation))) {
        rows.push(row);
        if (!json) print(bench.columns.map((column) => cell(row[column]).padStart(width(column))).join(' '));
      }
      if (json) printJson({ bench: bench.name, rows });
    },
  };
}

function passedOn(options: OptionSpecs, invocation: Invocation): string[] {
  return Object.keys(options).flatMap((name) => {
    const value = invocation.text(name);
    return value === undefined ? [] : [`--${name}`, value];
  });
}

function width(column: string): number {
  return Math.max(10, column.length);
}

function cell(value: number | string | undefined): string {
  if (typeof value !== 'number') return value ?? '-';
  return Number.isInteger(value) ? String(value) : value.toPrecision(4);
}
