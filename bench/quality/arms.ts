// The table of arms: every method a benchmark can put beside the others, by name.
import { type Invocation, UsageError } from '../../src/cli/command.js';
import type { Arm } from './arm.js';
import { blindArms } from './arms/blind.js';
import { bm25 } from './arms/bm25.js';
import { dense } from './arms/dense.js';
import { fused } from './arms/fused.js';
import { baselineArms, optionalArms } from './arms/index.js';
import { lifted } from './arms/lifted.js';
import { COST_UNIT } from './summary.js';

const ARMS: readonly Arm[] = [dense, bm25, lifted, fused, ...baselineArms, ...blindArms];

/** Every arm that the options allow; where all are wanted, stderr says which ones are left out and why. */
export function armTable(invocation: Invocation): readonly Arm[] {
  const { arms, skipped } = optionalArms({
    reranker: invocation.text('reranker'),
    llm: invocation.text('llm'),
    llmModel: invocation.text('llm-model'),
  });
  if (invocation.text('arms') === undefined)
    for (const sentence of skipped) process.stderr.write(`${sentence}\n`);
  return [...ARMS, ...arms];
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
