// The table of arms: every method a benchmark can put beside the others, by name.
import { type Invocation, type OptionSpecs, UsageError } from '../../src/cli/command.js';
import type { Arm } from './arm.js';
import { bm25 } from './arms/bm25.js';
import { crossEncoderArm } from './arms/cross-encoder-rerank.js';
import { dense } from './arms/dense.js';
import { fused } from './arms/fused.js';
import { baselineArms } from './arms/index.js';
import { COST_UNIT } from './summary.js';

const ARMS: readonly Arm[] = [dense, bm25, fused, ...baselineArms];

/** Options that bring arms which need more than the encoder. */
export const ARM_OPTIONS: OptionSpecs = {
  arms: { type: 'string', value: 'A,B,C', help: 'methods to measure; all when absent' },
  'cross-encoder': { type: 'string', value: 'DIR', help: 'adds the arm that reranks with this model' },
};

/** Every arm that the options allow. */
export function armTable(invocation: Invocation): readonly Arm[] {
  const crossEncoder = invocation.text('cross-encoder');
  return crossEncoder === undefined ? ARMS : [...ARMS, crossEncoderArm(crossEncoder)];
}

/**
 * The arms of the table that --arms names, separated by commas, or all. The unit of cost always runs, first.
 * @throws UsageError naming an arm that does not exist.
 */
export function chooseArms(invocation: Invocation, table: readonly Arm[] = armTable(invocation)): Arm[] {
  const names = invocation.text('arms')?.split(',') ?? table.map(({ name }) => name);
  return [...new Set([COST_UNIT, ...names.map((name) => name.trim())])].map((name) => {
    const arm = table.find((candidate) => candidate.name === name);
    if (arm !== undefined) return arm;
    const known = table.map((entry) => entry.name).join(', ');
    throw new UsageError(`there is no arm '${name}'; there are ${known}`);
  });
}
