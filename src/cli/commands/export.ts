// ontomem export: everything of a user as JSON lines, to a file or stdout.
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { OntomemError, reasonOf } from '../../errors.js';
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
  const descriptor = guarded(file, () => openSync(partial, 'w', 0o600));
  let turns = 0;
  let whole = false;
  try {
    for await (const record of records) {
      guarded(file, () => writeSync(descriptor, `${JSON.stringify(record)}\n`));
      if (record.kind === 'turn') turns++;
    }
    guarded(file, () => fsyncSync(descriptor));
    guarded(file, () => renameSync(partial, file));
    whole = true;
  } finally {
    closeSync(descriptor);
    if (!whole) rmSync(partial, { force: true });
  }
  return turns;
}

function guarded<T>(file: string, write: () => T): T {
  try {
    return write();
  } catch (cause) {
    throw new OntomemError('STORE_UNWRITABLE', {
      input: file,
      problem: `cannot be written (${reasonOf(cause)})`,
      cure: 'pass a path in a folder that exists, may be written to and has free space',
      cause,
    });
  }
}
