// Amending a stored turn's metadata by JSON merge patch; its text, date and scope never change.
import { checkMeta, mergePatch } from '../contract/meta.js';
import type { Turn } from '../contract/turn.js';
import { OntomemError } from '../errors.js';
import type { IngestParts } from './parts.js';
import type { Amending } from './requests.js';

/** Merges `patch` into the turn's metadata and returns the turn as it now is. @throws NOT_FOUND. */
export async function amend(parts: IngestParts, { scope, turn: turnId, patch }: Amending): Promise<Turn> {
  const found = parts.log.scope(scope);
  const row = found && parts.log.rowOf(found.id, turnId);
  const stored = found && row !== undefined ? parts.log.turn(found.id, row) : undefined;
  if (found === undefined || row === undefined || stored === undefined) {
    throw new OntomemError('NOT_FOUND', {
      input: 'amend.turn',
      problem: `${JSON.stringify(turnId)} is not stored in this scope`,
    });
  }
  const merged = checkMeta(mergePatch(stored.meta ?? {}, patch), 'amend.meta', parts.limits.metaBytes);
  const { meta: _replaced, ...rest } = stored;
  const amended: Turn = Object.keys(merged).length === 0 ? rest : { ...rest, meta: merged };
  await parts.writer.replace(found.id, row, amended);
  return amended;
}
