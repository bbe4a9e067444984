// Options that every quality benchmark takes, and how they are read.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Invocation, type OptionSpecs, UsageError } from '../../src/cli/command.js';

/** Options that bring arms which need more than the encoder. */
const ARM_OPTIONS: OptionSpecs = {
  arms: { type: 'string', value: 'A,B,C', help: 'methods to measure; all when absent' },
  reranker: { type: 'string', value: 'DIR', help: 'adds the arm that reranks with this cross-encoder' },
  llm: { type: 'string', value: 'URL', help: 'adds query rewriting by this OpenAI-compatible server' },
  'llm-model': { type: 'string', value: 'NAME', help: 'the model to ask it for' },
};

export const QUALITY_OPTIONS: OptionSpecs = {
  encoder: { type: 'string', value: 'NAME|DIR', help: 'encoder name or model folder (ONTOMEM_ENCODER)' },
  ...ARM_OPTIONS,
  queries: { type: 'string', value: 'N', help: 'measure so many queries of each set, alike of every slice' },
  seed: { type: 'string', value: 'N', help: 'seed of everything drawn [1]' },
  out: { type: 'string', value: 'DIR', help: 'write the JSON there as well' },
  quiet: { type: 'boolean', help: 'print no figures' },
  'shuffle-gold': {
    type: 'boolean',
    help: 'draw the gold turns at random: every method must fall to chance',
  },
};

/** The option of benchmarks over our own corpus. */
export const SPLIT_OPTION: OptionSpecs = {
  split: {
    type: 'string',
    value: 'NAME',
    help: 'train, dev or test [dev]; test is for reading, never for choosing',
  },
};

/** The option of benchmarks over files that are not part of the project. */
export const DATA_OPTION: OptionSpecs = {
  data: {
    type: 'string',
    value: 'PATH',
    help: 'the file or folder (default: in the folder ONTOMEM_SHARED names)',
  },
};

const DEFAULT_SEED = 1;

export function seedOf(invocation: Invocation): number {
  return invocation.number('seed') ?? DEFAULT_SEED;
}

/** The path given, or `name` in the data folder of ONTOMEM_SHARED. @throws UsageError when there is none. */
export function dataPath(invocation: Invocation, name: string): string {
  const given = invocation.text('data');
  if (given !== undefined) return given;
  const shared = process.env.ONTOMEM_SHARED;
  const path = shared === undefined ? undefined : join(shared, 'data', name);
  if (path !== undefined && existsSync(path)) return path;
  throw new UsageError(`--data is missing: pass the path of ${name}`);
}
