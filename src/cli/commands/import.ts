// ontomem import: an export back into a store.
import type { Scope } from '../../contract/scope.js';
import { OntomemError } from '../../errors.js';
import { fileLines } from '../../ingest/sources/file-lines.js';
import { type Command, type Invocation, STORE, UsageError } from '../command.js';
import { print, printJson } from '../output.js';
import { withMemory } from '../session.js';
import { inputLines } from '../standard-input.js';

export const importCommand: Command = {
  name: 'import',
  words: 'FILE',
  summary: 'Takes in an export; a damaged one writes nothing. - reads stdin.',
  example: 'ontomem import ada.jsonl --store ./other',
  options: {
    ...STORE,
    tenant: { type: 'string', value: 'NAME', help: 'tenant to import under, instead of the one exported' },
    user: { type: 'string', value: 'NAME', help: 'user to import under, instead of the one exported' },
  },
  async run(invocation) {
    const [file, ...rest] = invocation.words;
    if (file === undefined || rest.length > 0) throw new UsageError('import takes one FILE');
    const scope = targetScope(invocation);
    const result = await withMemory(invocation, (memory) =>
      memory.import({
        records: parsed(file === '-' ? inputLines() : fileLines(file), file),
        ...(scope === undefined ? {} : { scope }),
      }),
    );
    if (invocation.flag('json')) printJson(result);
    else
      print(
        `${result.stored} turns imported for ${result.scope.tenant}/${result.scope.user}, ${result.unchanged} already there`,
      );
  },
};

function targetScope(invocation: Invocation): Scope | undefined {
  const [tenant, user] = [invocation.text('tenant'), invocation.text('user')];
  if (tenant === undefined && user === undefined) return undefined;
  if (tenant === undefined || user === undefined) throw new UsageError('--tenant and --user go together');
  return { tenant, user };
}

async function* parsed(lines: AsyncIterable<string>, file: string): AsyncGenerator<unknown> {
  let number = 0;
  for await (const line of lines) {
    number++;
    if (line.trim() === '') continue;
    try {
      yield JSON.parse(line);
    } catch (error) {
      throw new OntomemError('SOURCE_TRUNCATED', {
        input: `${file}:${number}`,
        problem: 'is no whole JSON record',
        cause: error,
      });
    }
  }
}
