// Forgetting: a turn, a session or a whole user, from the disk and from memory in one durable step.
import type { ForgetRequest } from '../contract/ingest.js';
import { OntomemError } from '../errors.js';
import { noSuchScope } from './export.js';
import type { IngestParts } from './parts.js';

/**
 * Forgets what is named. Linear in what goes, for a session in the turns of the user.
 * @returns how many turns went. @throws NOT_FOUND for an unknown scope, turn or session.
 */
export async function forget(parts: IngestParts, request: ForgetRequest): Promise<{ forgotten: number }> {
  const { scope } = request;
  const found = parts.log.scope(scope);
  if (found === undefined) throw noSuchScope(scope);
  if ('everything' in request) {
    await parts.writer.deleteScope(scope);
    parts.residency.drop(scope);
    return { forgotten: found.turns };
  }
  const rows =
    'turn' in request
      ? [turnRow(parts, found.id, request.turn)]
      : sessionRows(parts, found.id, request.session);
  await parts.writer.delete(scope, rows);
  return { forgotten: rows.length };
}

function turnRow(parts: IngestParts, scopeId: number, turnId: string): number {
  const row = parts.log.rowOf(scopeId, turnId);
  if (row === undefined) throw notFound('turn', turnId);
  return row;
}

function sessionRows(parts: IngestParts, scopeId: number, session: string): number[] {
  const rows: number[] = [];
  for (const { row, turn } of parts.log.walk(scopeId)) if (turn.session === session) rows.push(row);
  if (rows.length === 0) throw notFound('session', session);
  return rows.sort((a, b) => a - b);
}

function notFound(input: string, name: string): OntomemError {
  return new OntomemError('NOT_FOUND', {
    input,
    problem: `${JSON.stringify(name)} is not stored in this scope`,
  });
}
