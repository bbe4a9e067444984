// The way in: turns are checked, encoded once and written durably.
import { z } from 'zod';
import { check } from '../contract/check.js';
import { type Scope, scopeSchema } from '../contract/scope.js';
import { labelSchema, type Turn, type TurnInput, type TurnReceipt } from '../contract/turn.js';
import { OntomemError } from '../errors.js';
import { indexTurns } from './index-turns.js';
import type { IngestParts } from './parts.js';
import { prepareTurn, saysTheSame } from './prepare.js';

export interface ObserveRequest {
  scope: Scope;
  /** Turns of one session follow each other in the order observed. Default 'default'. */
  session?: string;
  turns: readonly TurnInput[];
  /**
   * `throw` (default): the first invalid turn is an error and nothing is written.
   * `report`: the others are stored, and the receipt of the invalid one says why it was not.
   */
  onInvalid?: 'throw' | 'report';
  signal?: AbortSignal;
}

export interface Observed {
  /** One receipt a turn, in the order given. */
  turns: TurnReceipt[];
  stored: number;
}

const requestSchema = z.strictObject({
  scope: scopeSchema,
  session: labelSchema.optional(),
  turns: z.array(z.unknown()),
  onInvalid: z.enum(['throw', 'report']).optional(),
  signal: z.instanceof(AbortSignal).optional(),
});

/**
 * Stores turns; resolves when they are on the disk. A turn whose id is stored with the same text is
 * left alone, so a retry is safe. Each distinct new text is encoded once, in batches.
 * @throws TURN_CONFLICT when an id is stored (or given twice) with another text, naming both.
 */
export async function observe(parts: IngestParts, request: ObserveRequest): Promise<Observed> {
  const {
    scope,
    session = 'default',
    turns,
    onInvalid = 'throw',
    signal,
  } = check(requestSchema, request, 'observe');
  stopIfAborted(signal);
  const receipts: TurnReceipt[] = [];
  const fresh = new Map<string, Turn>();
  const scopeId = parts.log.scope(scope)?.id;
  for (const [position, value] of turns.entries()) {
    const input = `turns[${position}]`;
    try {
      const turn = prepareTurn(value, session, parts.limits, input);
      const known =
        fresh.get(turn.id) ?? (scopeId === undefined ? undefined : parts.log.turnById(scopeId, turn.id));
      if (known !== undefined && !saysTheSame(known, turn)) throw conflict(input, known, turn);
      if (known === undefined) fresh.set(turn.id, turn);
      receipts.push({ id: turn.id, status: known === undefined ? 'stored' : 'unchanged' });
    } catch (error) {
      if (onInvalid === 'throw' || !(error instanceof OntomemError)) throw error;
      receipts.push({ id: idOf(value), status: 'rejected', code: error.code, message: error.message });
    }
  }
  const indexed = await indexTurns(parts.encoder, [...fresh.values()], signal);
  stopIfAborted(signal);
  if (indexed.length > 0) await parts.log.append(scope, indexed);
  return { turns: receipts, stored: indexed.length };
}

function conflict(input: string, stored: Turn, turn: Turn): OntomemError {
  const excerpt = (text: string) => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
  const said = (t: Turn) => `${t.session}/${t.speaker} ${excerpt(t.text)}`;
  return new OntomemError('TURN_CONFLICT', {
    input: `${input}.id`,
    problem: `${JSON.stringify(turn.id)} is stored as ${said(stored)}, here it is ${said(turn)}`,
  });
}

function stopIfAborted(signal: AbortSignal | undefined): void {
  if (!signal?.aborted) return;
  throw new OntomemError('ABORTED', {
    input: 'observe.signal',
    problem: 'was aborted; nothing of this call was written',
    cause: signal.reason,
  });
}

function idOf(value: unknown): string | undefined {
  const id = (value as { id?: unknown } | null | undefined)?.id;
  return typeof id === 'string' ? id : undefined;
}
