// Amending a stored turn's metadata by JSON merge patch; its text, date and scope never change.
import { z } from 'zod';
import { check } from '../contract/check.js';
import { type Scope, scopeSchema } from '../contract/scope.js';
import { labelSchema, type Meta, type Turn } from '../contract/turn.js';
import { OntomemError } from '../errors.js';
import type { IngestParts } from './observe.js';
import { checkMeta } from './prepare.js';

export interface AmendRequest {
  scope: Scope;
  turn: string;
  /** RFC 7396 merge patch: named fields are replaced, null removes a field, others stay. */
  meta: Meta;
}

const requestSchema = z.strictObject({
  scope: scopeSchema,
  turn: labelSchema,
  meta: z.record(z.string(), z.unknown()),
});

/** Merges `meta` into the turn's metadata and returns the turn as it now is. @throws NOT_FOUND. */
export async function amend(parts: IngestParts, request: AmendRequest): Promise<Turn> {
  const { scope, turn: turnId, meta } = check(requestSchema, request, 'amend');
  const found = parts.log.scope(scope);
  const row = found && parts.log.rowOf(found.id, turnId);
  const stored = found && row !== undefined ? parts.log.turn(found.id, row) : undefined;
  if (found === undefined || row === undefined || stored === undefined) {
    throw new OntomemError('NOT_FOUND', {
      input: 'amend.turn',
      problem: `${JSON.stringify(turnId)} is not stored in this scope`,
    });
  }
  const merged = checkMeta(mergePatch(stored.meta ?? {}, meta), 'amend.meta', parts.limits.metaBytes);
  const { meta: _replaced, ...rest } = stored;
  const amended: Turn = Object.keys(merged).length === 0 ? rest : { ...rest, meta: merged };
  await parts.writer.replace(found.id, row, amended);
  return amended;
}

function mergePatch(target: Meta, patch: Meta): Meta {
  const merged = { ...target };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else if (isObject(value)) merged[key] = mergePatch(isObject(merged[key]) ? merged[key] : {}, value);
    else merged[key] = value;
  }
  return merged;
}

function isObject(value: unknown): value is Meta {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
