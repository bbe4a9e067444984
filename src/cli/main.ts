#!/usr/bin/env node
// ontomem on the command line: finds the command, runs it, turns errors into exit codes.
import { reasonOf } from '../errors.js';
import {
  type Command,
  exitCode,
  type ForwardingCommand,
  helpOf,
  readInvocation,
  UsageError,
} from './command.js';
import { bench } from './commands/bench.js';
import { encoderAdd, encoderList } from './commands/encoder.js';
import { exportCommand } from './commands/export.js';
import { forget } from './commands/forget.js';
import { importCommand } from './commands/import.js';
import { ingest } from './commands/ingest.js';
import { recall } from './commands/recall.js';
import { reencodeCommand } from './commands/reencode.js';
import { stats } from './commands/stats.js';
import { turns } from './commands/turns.js';
import { endQuietlyOnClosedPipe, oneLine } from './output.js';

const COMMANDS: ReadonlyArray<Command | ForwardingCommand> = [
  ingest,
  recall,
  turns,
  forget,
  exportCommand,
  importCommand,
  stats,
  reencodeCommand,
  encoderAdd,
  encoderList,
  bench,
];

function overview(): string {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length)) + 2;
  return [
    'ontomem: long-term memory for conversational agents',
    '',
    'Usage: ontomem COMMAND [options]',
    '',
    ...COMMANDS.map(({ name, summary }) => `  ${name.padEnd(width)}${summary}`),
    '',
    'ontomem COMMAND --help says more.',
    '',
    'Example:',
    '  ontomem ingest chat.txt --user ada && ontomem recall "what does she eat?" --user ada',
    '',
  ].join('\n');
}

function find(
  argv: readonly string[],
): { command: Command | ForwardingCommand; rest: readonly string[] } | undefined {
  for (const length of [2, 1]) {
    const name = argv.slice(0, length).join(' ');
    const command = COMMANDS.find((candidate) => candidate.name === name);
    if (command !== undefined) return { command, rest: argv.slice(length) };
  }
  return undefined;
}

async function main(argv: readonly string[]): Promise<void> {
  if (argv.length === 0 || argv[0] === '--help' || argv[0] === 'help') {
    process.stdout.write(overview());
    process.exitCode = argv.length === 0 ? 2 : 0;
    return;
  }
  const found = find(argv);
  if (found === undefined) throw new UsageError(`there is no command '${argv[0]}'; try ontomem --help`);
  const { command, rest } = found;
  const wantsHelp = 'forward' in command ? rest[0] === '--help' : rest.includes('--help');
  if (wantsHelp) process.stdout.write(helpOf(command));
  else if ('forward' in command) await command.forward(rest);
  else await command.run(readInvocation(command, rest));
}

endQuietlyOnClosedPipe();

try {
  // Awaited here, a command that never comes to its end is an error of the process, not a quiet success.
  await main(process.argv.slice(2));
} catch (error) {
  const code = (error as { code?: string }).code;
  const message = reasonOf(error);
  process.stderr.write(`ontomem: ${oneLine(message, Infinity)}${code === undefined ? '' : ` [${code}]`}\n`);
  process.exitCode = exitCode(error);
}
