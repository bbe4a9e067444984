// Chooses constants on a grid, one after the other, and keeps what every value reached.

/** Values to try for each constant, in the order in which they are tried. */
export type Grid<S> = { readonly [K in keyof S]?: ReadonlyArray<S[K]> };

/** What each value of a constant reached while the others stood at their best so far. */
export interface Curve {
  constant: string;
  values: ReadonlyArray<{ value: unknown; score: number }>;
}

export interface Tuned<S> {
  settings: S;
  score: number;
  curves: readonly Curve[];
}

/** Times the grid is gone through: constants lean on each other, and the third round changed none. */
const ROUNDS = 2;
/** A value must be better by this much to replace the one before it: less is noise, and the plainer value stays. */
export const LEAST_GAIN = 0.0005;

/** Coordinate ascent over the grid. O(rounds x values x one measurement). Curves are those of the last round. */
export async function descend<S extends object>(
  start: S,
  grid: Grid<S>,
  measure: (settings: S) => number | Promise<number>,
  leastGain = LEAST_GAIN,
): Promise<Tuned<S>> {
  let settings = start;
  let score = await measure(settings);
  let curves: Curve[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    curves = [];
    for (const constant of Object.keys(grid) as Array<keyof S & string>) {
      const values: Array<{ value: unknown; score: number }> = [];
      for (const value of grid[constant] ?? []) {
        const candidate = { ...settings, [constant]: value };
        values.push({ value, score: await measure(candidate) });
      }
      const best = values.reduce((a, b) => (b.score > a.score ? b : a));
      if (best.score > score + leastGain) {
        settings = { ...settings, [constant]: best.value };
        score = best.score;
      }
      curves.push({ constant, values });
    }
  }
  return { settings, score, curves };
}
