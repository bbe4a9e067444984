// ontomem export: everything of a user as JSON lines, to a file or stdout.
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { type Command, SCOPE, STORE, UsageError } from '../command.js';
import { print, printJson } from '../output.js';
import { scopeOf, withMemory } from '../session.js';

export const exportCommand: Command = {
  name: 'export',
  words: '[FILE]',
  summary: 'Writes everything stored of a user as JSON lines; the last one closes it with a sum.',
  example: 'ontomem export ada.jsonl --user ada',
  options: { ...STORE, ...SCOPE },
  async run(invocation) {
    const [file, ...rest] = invocation.words;
    if (rest.length > 0) throw new UsageError('export takes at most one FILE');
    await withMemory(
      invocation,
      async (memory) => {
        const records = memory.export({ scope: scopeOf(invocation) });
        if (file === undefined || file === '-') {
          for await (const record of records) printJson(record);
          return;
        }
        const turns = await writeWhole(file, records);
        if (invocation.flag('json')) printJson({ file, turns });
        else print(`${turns} turns exported to ${file}`);
      },
      { readOnly: true },
    );
  },
};

/** Writes beside the target and renames, so that a half-written export never bears its name. */
async function writeWhole(file: string, records: AsyncIterable<{ kind: string }>): Promise<number> {
  const partial = `${file}.partial`;
  const descriptor = openSync(partial, 'w');
  let turns = 0;
  try {
    for await (const record of records) {
      writeSync(descriptor, `${JSON.stringify(record)}\n`);
      if (record.kind === 'turn') turns++;
    }
    fsyncSync(descriptor);
    closeSync(descriptor);
  } catch (error) {
    closeSync(descriptor);
    rmSync(partial, { force: true });
    throw error;
  }
  renameSync(partial, file);
  return turns;
}
