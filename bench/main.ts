// The benchmarks behind one word each: `npm run -s bench -- NAME [options]`.
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  type Command,
  exitCode,
  helpOf,
  type Invocation,
  readInvocation,
  UsageError,
} from '../src/cli/command.js';
import { print } from '../src/cli/output.js';

interface Bench {
  summary: string;
  load(): Promise<{ command: Command }>;
}

/** Every benchmark; a module is loaded only when it is asked for. */
const BENCHES: Readonly<Record<string, Bench>> = {
  locomo: {
    summary: 'recall of evidence on the public LoCoMo conversations',
    load: () => import('./quality/commands/locomo.js'),
  },
};

/** Runs the benchmark that the invocation's first word names. @throws UsageError when there is none. */
export async function runBench(invocation: Invocation): Promise<void> {
  const command = await find(invocation.words[0]);
  await command.run(invocation);
}

async function find(name: string | undefined): Promise<Command> {
  const bench = name !== undefined && Object.hasOwn(BENCHES, name) ? BENCHES[name] : undefined;
  if (bench === undefined) {
    throw new UsageError(
      `there is no benchmark '${name ?? ''}'; there are ${Object.keys(BENCHES).join(', ')}`,
    );
  }
  return (await bench.load()).command;
}

function overview(): string {
  const width = Math.max(...Object.keys(BENCHES).map((name) => name.length)) + 2;
  const rows = Object.entries(BENCHES).map(([name, { summary }]) => `  ${name.padEnd(width)}${summary}`);
  return ['Usage: npm run -s bench -- NAME [options]', '', ...rows, '', 'NAME --help says more.'].join('\n');
}

async function main(argv: readonly string[]): Promise<void> {
  const [name, ...rest] = argv;
  if (name === undefined || name === '--help') return print(overview());
  const command = await find(name);
  if (rest.includes('--help')) return print(helpOf(command));
  await command.run(readInvocation(command, rest));
}

const started = process.argv[1];
if (started !== undefined && realpathSync(started) === fileURLToPath(import.meta.url)) {
  main(process.argv.slice(2)).catch((error: unknown) => {
    process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = exitCode(error);
  });
}
