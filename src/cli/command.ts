// What a command is, and how its words are read and its help is written.
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { OntomemError, reasonOf } from '../errors.js';

interface OptionSpec {
  type: 'string' | 'boolean';
  /** What stands for the value in the help: FILE, N. */
  value?: string;
  help: string;
  default?: string;
}

export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

export interface Invocation {
  /** Words that are no options. */
  words: string[];
  text(name: string): string | undefined;
  flag(name: string): boolean;
  /** @throws UsageError when the option is there and no number. */
  number(name: string): number | undefined;
}

export interface Command {
  /** One or two words: `recall`, `encoder add`. */
  name: string;
  /** The words it takes: `FILE`, `QUERY...`. */
  words: string;
  summary: string;
  example: string;
  options: OptionSpecs;
  run(invocation: Invocation): Promise<void>;
}

/** A command that hands its words on unread. */
export interface ForwardingCommand extends Omit<Command, 'run'> {
  forward(argv: readonly string[]): Promise<void>;
}

/** The words on the command line are wrong: exit code 2. */
export class UsageError extends Error {}

/** Options every command has. */
export const COMMON: OptionSpecs = {
  json: { type: 'boolean', help: 'print JSON' },
  help: { type: 'boolean', help: 'print this help' },
};

/** Options of every command that opens a store. */
export const STORE: OptionSpecs = {
  store: {
    type: 'string',
    value: 'DIR',
    help: 'folder of the store [ONTOMEM_STORE, else ./ontomem-store]',
  },
  encoder: { type: 'string', value: 'NAME|DIR', help: 'encoder name or model folder (ONTOMEM_ENCODER)' },
};

/** Options of every command that works on one user. */
export const SCOPE: OptionSpecs = {
  tenant: { type: 'string', value: 'NAME', help: 'tenant', default: 'default' },
  user: { type: 'string', value: 'NAME', help: 'user', default: 'default' },
};

/** Reads the words after a command's name. @throws UsageError. */
export function readInvocation(command: Command, argv: readonly string[]): Invocation {
  const specs = { ...command.options, ...COMMON };
  const options = Object.fromEntries(
    Object.entries(specs).map(([name, spec]) => [name, { type: spec.type } as const]),
  ) satisfies NonNullable<ParseArgsConfig['options']>;
  let parsed: { values: Record<string, unknown>; positionals: string[] };
  try {
    parsed = parseArgs({ args: [...argv], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError(reasonOf(error));
  }
  const text = (name: string) => {
    const value = parsed.values[name];
    return typeof value === 'string' ? value : specs[name]?.default;
  };
  return {
    words: parsed.positionals,
    text,
    flag: (name) => parsed.values[name] === true,
    number: (name) => {
      const value = text(name);
      if (value === undefined) return undefined;
      const number = Number(value);
      if (value.trim() === '' || !Number.isFinite(number))
        throw new UsageError(`--${name} takes a number, not '${value}'`);
      return number;
    },
  };
}

export function helpOf(command: Omit<Command, 'run'>): string {
  const rows = Object.entries({ ...command.options, ...COMMON }).map(([name, spec]) => [
    `  --${name}${spec.value === undefined ? '' : ` ${spec.value}`}`,
    `${spec.help}${spec.default === undefined ? '' : ` [${spec.default}]`}`,
  ]);
  const width = Math.max(...rows.map(([left]) => left?.length ?? 0)) + 2;
  return [
    `${command.summary}`,
    '',
    `Usage: ontomem ${command.name} ${command.words}${command.words ? ' ' : ''}[options]`,
    '',
    'Options:',
    ...rows.map(([left = '', right = '']) => left.padEnd(width) + right),
    '',
    'Example:',
    `  ${command.example}`,
    '',
  ].join('\n');
}

/** What a user can mend by other words or another input; everything else is a failure. */
const INPUT_STATUSES = new Set([400, 404, 413, 422]);

/** 0 is success; 1 something failed; 2 the words or the input were wrong. */
export function exitCode(error: unknown): 1 | 2 {
  if (error instanceof UsageError) return 2;
  return error instanceof OntomemError && INPUT_STATUSES.has(error.status) ? 2 : 1;
}
