// The requests of the way in, read while the call is made: what the caller changes afterwards changes nothing.
import { types } from 'node:util';
import { z } from 'zod';
import { breathe } from '../breather.js';
import { check } from '../contract/check.js';
import type { ForgetRequest, ImportRequest, ObserveRequest } from '../contract/ingest.js';
import type { Limits } from '../contract/limits.js';
import { checkMeta } from '../contract/meta.js';
import { plainCopy } from '../contract/plain-copy.js';
import { labelSchema, metaSchema, scopeSchema, signalSchema } from '../contract/schemas.js';
import type { Scope } from '../contract/scope.js';
import type { Meta, Turn } from '../contract/turn.js';
import { OntomemError, reasonOf } from '../errors.js';
import { prepareTurn, type TurnFrame } from './prepare.js';

/** A turn as it was when the call was made: copied and still to be checked, or checked at once. */
type GivenTurn = { copy: object } | PreparedTurn;

/** A turn of an observe call: ready, or refused for a reason. */
export type PreparedTurn = { turn: Turn } | { id: string | undefined; refusal: OntomemError };

export interface Observing {
  scope: Scope;
  onInvalid: 'throw' | 'report';
  frame: TurnFrame;
  turns: GivenTurn[];
  signal: AbortSignal | undefined;
}

const observeSchema = z.strictObject({
  scope: scopeSchema,
  session: labelSchema.exactOptional(),
  turns: z.array(z.unknown()),
  onInvalid: z.enum(['throw', 'report']).exactOptional(),
  signal: signalSchema.exactOptional(),
});

/** The request as it is now; its turns are checked by `prepareTurns`. @throws what is wrong beside its turns. */
export function readObserve(request: ObserveRequest, limits: Limits): Observing {
  const {
    scope,
    session = 'default',
    turns,
    onInvalid = 'throw',
    signal,
  } = check(observeSchema, request, 'observe');
  const frame = { session, calledAt: Date.now() };
  const given = turns.map((value, position): GivenTurn => {
    const copy = isBare(value) ? plainCopy(value) : undefined;
    return copy === undefined ? prepare(value, position, frame, limits) : { copy };
  });
  return { scope, onInvalid, signal, frame, turns: given };
}

/**
 * Checks the turns in slices: 2,000 of them take 15 ms.
 * @throws what is wrong with the first invalid turn, unless they are to be reported.
 */
export async function prepareTurns(
  { turns, frame, onInvalid }: Observing,
  limits: Limits,
): Promise<PreparedTurn[]> {
  const prepared: PreparedTurn[] = [];
  for (const [position, given] of turns.entries()) {
    await breathe();
    const turn = 'copy' in given ? prepare(given.copy, position, frame, limits) : given;
    if ('refusal' in turn && onInvalid === 'throw') throw turn.refusal;
    prepared.push(turn);
  }
  return prepared;
}

function prepare(value: unknown, position: number, frame: TurnFrame, limits: Limits): PreparedTurn {
  try {
    return { turn: prepareTurn(value, frame, limits, `turns[${position}]`) };
  } catch (error) {
    if (!(error instanceof OntomemError)) throw error;
    return { id: idOf(value), refusal: error };
  }
}

/** An object without metadata, whose copy would be half the check. */
function isBare(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !types.isProxy(value) && !('meta' in value);
}

function idOf(value: unknown): string | undefined {
  try {
    const id = (value as { id?: unknown } | null | undefined)?.id;
    return typeof id === 'string' ? id : undefined;
  } catch {
    return undefined;
  }
}

export interface Amending {
  scope: Scope;
  turn: string;
  patch: Meta;
}

const amendSchema = z.strictObject({ scope: scopeSchema, turn: labelSchema, meta: metaSchema });

export function readAmend(request: unknown, limits: Limits): Amending {
  const { scope, turn, meta } = check(amendSchema, request, 'amend');
  return { scope, turn, patch: checkMeta(meta, 'amend.meta', limits.metaBytes) };
}

const forgetSchema = z.strictObject({
  scope: scopeSchema,
  turn: labelSchema.exactOptional(),
  session: labelSchema.exactOptional(),
  everything: z.literal(true).exactOptional(),
});

/** Exactly one of turn, session and everything; a user is never forgotten for want of a name. */
export function readForget(request: unknown): ForgetRequest {
  const { scope, turn, session, everything } = check(forgetSchema, request, 'forget');
  const named = [turn, session, everything].filter((value) => value !== undefined).length;
  if (named === 1) {
    if (turn !== undefined) return { scope, turn };
    return session === undefined ? { scope, everything: true } : { scope, session };
  }
  throw new OntomemError('INVALID_ARGUMENT', {
    input: 'forget',
    problem: `names ${named === 0 ? 'none' : 'several'} of turn, session and everything`,
    cure: 'name the turn or the session, or pass everything: true to forget the whole user',
  });
}

export interface Importing {
  records: ImportRequest['records'];
  /** Undefined: the scope that the archive was exported from. */
  scope: Scope | undefined;
}

const importSchema = z.strictObject({
  records: z.custom<ImportRequest['records']>(isIterable, 'is not iterable'),
  scope: scopeSchema.exactOptional(),
});

export function readImport(request: unknown): Importing {
  const { records, scope } = check(importSchema, request, 'import');
  return { records: guarded(records), scope };
}

/** Hands records on; what the caller's iterable throws is the cause of a typed error. */
async function* guarded(records: ImportRequest['records']): AsyncGenerator<unknown> {
  try {
    for await (const record of records) yield record;
  } catch (cause) {
    if (cause instanceof OntomemError) throw cause;
    throw new OntomemError('SOURCE_INVALID', {
      input: 'import.records',
      problem: `broke off (${reasonOf(cause).slice(0, 200)})`,
      cure: 'see the cause; nothing was written',
      cause,
    });
  }
}

function isIterable(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { [Symbol.asyncIterator]: later, [Symbol.iterator]: now } = value as Partial<
    AsyncIterable<unknown> & Iterable<unknown>
  >;
  return typeof (later ?? now) === 'function';
}

const exportSchema = z.strictObject({ scope: scopeSchema });

/** The scope of a request that has nothing else. */
export function readExport(request: unknown): Scope {
  return check(exportSchema, request, 'export').scope;
}
