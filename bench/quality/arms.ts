// The table of arms: every method a benchmark can put beside the others, by name.
import { UsageError } from '../../src/cli/command.js';
import type { Arm } from './arm.js';
import { bm25 } from './arms/bm25.js';
import { dense } from './arms/dense.js';
import { fused } from './arms/fused.js';
import { baselineArms } from './arms/index.js';
import { COST_UNIT } from './summary.js';

const ARMS: readonly Arm[] = [dense, bm25, fused, ...baselineArms];

/**
 * The arms named, separated by commas, or `fallback`. The unit of cost always runs, first.
 * @throws UsageError naming an arm that does not exist.
 */
export function chooseArms(
  names: string | undefined,
  fallback: readonly string[] = ARMS.map(({ name }) => name),
): Arm[] {
  const wanted = names === undefined ? fallback : names.split(',').map((name) => name.trim());
  return [...new Set([COST_UNIT, ...wanted])].map((name) => {
    const arm = ARMS.find((candidate) => candidate.name === name);
    if (arm === undefined) {
      throw new UsageError(
        `there is no arm '${name}'; there are ${ARMS.map((known) => known.name).join(', ')}`,
      );
    }
    return arm;
  });
}
