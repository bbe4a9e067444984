// ontomem's own JSONL: a turn a line, with its scope and session where the defaults do not apply.
import { labelSchema, scopeSchema, turnInputSchema } from '../../contract/schemas.js';
import type { TurnInput } from '../../contract/turn.js';
import { OntomemError } from '../../errors.js';
import { checkSource } from './check-source.js';
import { ContentIds, type SourceBatch, type SourceDefaults } from './source.js';

const lineSchema = turnInputSchema.extend({
  tenant: scopeSchema.shape.tenant.exactOptional(),
  user: scopeSchema.shape.user.exactOptional(),
  session: labelSchema.exactOptional(),
});

const MAX_BATCH = 256;

/** Groups consecutive lines of one session into batches. @throws SOURCE_INVALID naming file and line. */
export async function* jsonlBatches(
  lines: AsyncIterable<string> | Iterable<string>,
  file: string,
  defaults: SourceDefaults,
): AsyncGenerator<SourceBatch> {
  const ids = new ContentIds();
  let batch: SourceBatch | undefined;
  let number = 0;
  for await (const line of lines) {
    number++;
    if (line.trim() === '') continue;
    const { tenant, user, session, ...given } = checkSource(
      lineSchema,
      parseLine(line, `${file}:${number}`),
      `${file}:${number}`,
    );
    const scope = { tenant: tenant ?? defaults.scope.tenant, user: user ?? defaults.scope.user };
    const name = session ?? defaults.session;
    const turn = given as TurnInput;
    turn.id ??= ids.idOf(JSON.stringify([scope, name]), turn.speaker, turn.text, turn.at);
    if (
      batch === undefined ||
      batch.session !== name ||
      !sameScope(batch, scope) ||
      batch.turns.length >= MAX_BATCH
    ) {
      if (batch !== undefined) yield batch;
      batch = { scope, session: name, turns: [] };
    }
    batch.turns.push(turn);
  }
  if (batch !== undefined) yield batch;
}

function sameScope(batch: SourceBatch, scope: SourceBatch['scope']): boolean {
  return batch.scope.tenant === scope.tenant && batch.scope.user === scope.user;
}

function parseLine(line: string, input: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new OntomemError('SOURCE_INVALID', {
      input,
      problem: `is not JSON (${String(error)})`,
      cause: error,
    });
  }
}
