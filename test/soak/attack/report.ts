// What an attacker did and found, as lines that the referee adds up.
import { writeSync } from 'node:fs';
import { OntomemError } from '../../../src/errors.js';

export interface Tally {
  calls: number;
  acknowledged: number;
  losses: number;
  wrong: number;
  raw: number;
  /** Typed errors that the attack provokes: no room, locked. */
  expected: number;
}

export function noTally(): Tally {
  return { calls: 0, acknowledged: 0, losses: 0, wrong: 0, raw: 0, expected: 0 };
}

export type Line = { tally: Partial<Tally>; details?: string };

export function say(tally: Partial<Tally>, details?: string): void {
  const line: Line = { tally, ...(details === undefined ? {} : { details }) };
  writeSync(1, `${JSON.stringify(line)}\n`);
}

/** Says what an error is: one of the codes the attack provokes, or a raw one. */
export function sayError(error: unknown, allowed: readonly string[], where: string): void {
  if (error instanceof OntomemError && allowed.includes(error.code)) say({ calls: 1, expected: 1 });
  else say({ calls: 1, raw: 1 }, `${where}: ${error instanceof Error ? error.stack : String(error)}`);
}
