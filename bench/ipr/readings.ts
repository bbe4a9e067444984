// Which turns support a request: readings of the dealt text, graded, and how well two readers agree.

import { type Line, linesOf, unreadable } from './lines.js';
import type { Person } from './person.js';

/** 2: decides what a good answer is. 1: helps. */
export type Grade = 1 | 2;

/** Request id -> turn id -> grade; a request that nothing supports has no turns. */
export type Reading = ReadonlyMap<string, ReadonlyMap<string, Grade>>;

/**
 * Reads 'r07 | s03.2=2 s11.4=1', a request a line; a request without a supporting turn ends at the bar.
 * @throws SOURCE_INVALID for a request or turn that the person does not have, or a request left out.
 */
export function readReading(file: string, source: string, person: Person): Reading {
  const turns = new Set(person.sessions.flatMap(({ turns: own }) => own.map(({ id }) => id)));
  const requests = new Set(person.requests.map(({ id }) => id));
  const reading = new Map<string, ReadonlyMap<string, Grade>>();
  const lines = linesOf(file, source);
  for (const line of lines) {
    const [request = '', marks = ''] = line.text.split('|').map((field) => field.trim());
    if (!requests.has(request) || reading.has(request)) throw unreadable(line, 'no request, or one twice');
    reading.set(request, new Map(marks.split(/\s+/).flatMap((mark) => gradeOf(line, mark, turns))));
  }
  const missing = person.requests.find(({ id }) => !reading.has(id));
  if (missing === undefined) return reading;
  throw unreadable({ text: missing.text, file, number: lines.length }, `${missing.id} is not read`);
}

function gradeOf(line: Line, mark: string, turns: ReadonlySet<string>): Array<[string, Grade]> {
  if (mark === '') return [];
  const [turn = '', grade] = mark.split('=');
  if (!turns.has(turn)) throw unreadable(line, `there is no turn '${turn}'`);
  if (grade !== '1' && grade !== '2') throw unreadable(line, `'${mark}' has no grade 1 or 2`);
  return [[turn, grade === '2' ? 2 : 1]];
}

/** The turns that decide. */
export function decidingTurns(grades: ReadonlyMap<string, Grade> = new Map()): string[] {
  return [...grades].flatMap(([turn, grade]) => (grade === 2 ? [turn] : []));
}

/** Counts of pairs (request, turn) by the grades of two readers; 0 where a reader marks nothing. */
export type Agreement = number[][];

export function agreementOf(person: Person, first: Reading, second: Reading): Agreement {
  const counts: Agreement = [
    [0, 0, 0],
    [0, 0, 0],
    [0, 0, 0],
  ];
  for (const request of person.requests) {
    for (const { id } of person.sessions.flatMap(({ turns }) => turns)) {
      const row = counts[first.get(request.id)?.get(id) ?? 0];
      const column = second.get(request.id)?.get(id) ?? 0;
      if (row !== undefined) row[column] = (row[column] ?? 0) + 1;
    }
  }
  return counts;
}

/** Cohen's (1960) kappa of a square table of counts. */
export function kappa(table: Agreement): number {
  const total = table.flat().reduce((sum, count) => sum + count, 0);
  const rows = table.map((row) => row.reduce((sum, count) => sum + count, 0));
  const columns = table.map((_, place) => table.reduce((sum, row) => sum + (row[place] ?? 0), 0));
  const observed = table.reduce((sum, row, place) => sum + (row[place] ?? 0), 0) / total;
  const expected = rows.reduce((sum, count, place) => sum + count * (columns[place] ?? 0), 0) / total ** 2;
  return (observed - expected) / (1 - expected);
}

/** The table of two grades only: supports or not. */
export function collapsed(table: Agreement): Agreement {
  const count = (row: number, column: number) => table[row]?.[column] ?? 0;
  const support = [1, 2];
  const marked = support.flatMap((row) => support.map((column) => count(row, column)));
  return [
    [count(0, 0), count(0, 1) + count(0, 2)],
    [count(1, 0) + count(2, 0), marked.reduce((sum, value) => sum + value, 0)],
  ];
}
