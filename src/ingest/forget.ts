// Forgetting: a turn, a session or a whole user, from the disk and from memory in one durable step.
import { setImmediate } from 'node:timers/promises';
import type { ForgetRequest } from '../contract/ingest.js';
import { OntomemError } from '../errors.js';
import { noSuchScope } from './export.js';
import type { IngestParts } from './parts.js';

/** Looking at so many takes 3 ms; then the event loop turns. */
const TURNS_A_SLICE = 500;

/**
 * Forgets what is named. Linear in what goes, for a session in the turns of the user; a whole user is hidden at
 * once, O(log n), and its bytes go in the background.
 * @returns how many turns went. @throws NOT_FOUND for an unknown scope, turn or session.
 */
export async function forget(parts: IngestParts, request: ForgetRequest): Promise<{ forgotten: number }> {
  const { scope } = request;
  const found = parts.log.scope(scope);
  if (found === undefined) throw noSuchScope(scope);
  if ('everything' in request) {
    await parts.writer.hideScope(scope);
    parts.residency.drop(scope);
    return { forgotten: found.turns };
  }
  const rows =
    'turn' in request
      ? [turnRow(parts, found.id, request.turn)]
      : await sessionRows(parts, found.id, request.session);
  await parts.writer.delete(scope, rows);
  return { forgotten: rows.length };
}

function turnRow(parts: IngestParts, scopeId: number, turnId: string): number {
  const row = parts.log.rowOf(scopeId, turnId);
  if (row === undefined) throw notFound('turn', turnId);
  return row;
}

async function sessionRows(parts: IngestParts, scopeId: number, session: string): Promise<number[]> {
  const rows: number[] = [];
  const ordinal = parts.log.sessionOrdinal(scopeId, session);
  let seen = 0;
  for (const each of ordinal === undefined ? [] : parts.log.sessionsOfRows(scopeId)) {
    if (each.session === ordinal) rows.push(each.row);
    if (++seen % TURNS_A_SLICE === 0) await setImmediate();
  }
  if (rows.length === 0) throw notFound('session', session);
  return rows;
}

function notFound(input: string, name: string): OntomemError {
  return new OntomemError('NOT_FOUND', {
    input,
    problem: `${JSON.stringify(name)} is not stored in this scope`,
  });
}
