// A method or a part of the product with constants that are chosen by measurement, and where they are committed.
import type { Arm, ArmServices } from '../quality/arm.js';
import type { Grid } from './descent.js';
import { type Ground, objective } from './objective.js';

/** What constants are measured on. */
export interface TuneBench {
  ground: Ground;
  services: ArmServices;
  seed: number;
}

/** The file and the block in it that hold the constants, one `name: value,` a line. */
export interface Place {
  file: string;
  /** The text that the block begins with. */
  block: string;
}

/** Where a choice starts, the grid it is made on, and the constants that are committed. */
export interface Tunable<S extends object> {
  name: string;
  start: S;
  committed: S;
  grid: Grid<S>;
  /** A gain that is noise on what is measured here; by default that of the whole ground. */
  leastGain?: number;
  /** Absent where the choice is one of code: it is compared, never written. */
  place?: Place;
  /** Higher is better. Called once; what it returns is called for every value. */
  measure(bench: TuneBench): Promise<(settings: S) => number | Promise<number>>;
}

/** Constants by name. */
export type Constants = Record<string, number>;

/** Measured by the three things a memory is asked, through an arm. */
export function measureArm<S extends object>(arm: (settings: S) => Arm): Tunable<S>['measure'] {
  return async ({ ground, services }) =>
    (settings) =>
      objective(arm(settings), ground, services);
}
