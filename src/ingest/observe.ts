// The way in: turns are held against what is stored, encoded once and written durably.
import { breathe } from '../breather.js';
import type { Observed } from '../contract/ingest.js';
import { stopOn } from '../contract/signal.js';
import type { Turn, TurnReceipt } from '../contract/turn.js';
import { OntomemError } from '../errors.js';
import { indexTurns, writeTurns } from './index-turns.js';
import type { IngestParts } from './parts.js';
import { saysTheSame } from './prepare.js';
import { type Observing, type PreparedTurn, prepareTurns } from './requests.js';

/**
 * Stores turns; resolves when they are on the disk. A turn whose id is stored with the same text is
 * left alone, so a retry is safe. Each distinct new text is encoded once, in batches. More than a hundred new
 * turns are written in several durable transactions, in order: killed in the middle, the first ones are stored.
 * @throws TURN_CONFLICT when an id is stored (or given twice) with another text, naming both.
 */
export async function observe(parts: IngestParts, asked: Observing): Promise<Observed> {
  const { scope, signal } = asked;
  stopIfAborted(signal);
  const prepared = await prepareTurns(asked, parts.limits);
  const { receipts, fresh } = await sort(parts, asked, prepared);
  const indexed = await indexTurns(parts.encoder, fresh, signal);
  stopIfAborted(signal);
  await writeTurns(parts, scope, indexed);
  return { turns: receipts, stored: indexed.length };
}

/** What becomes of each turn, and those that are new. */
async function sort(
  parts: IngestParts,
  { scope, onInvalid }: Observing,
  turns: readonly PreparedTurn[],
): Promise<{ receipts: TurnReceipt[]; fresh: Turn[] }> {
  const fresh = new Map<string, Turn>();
  const scopeId = parts.log.scope(scope)?.id;
  const receiptOf = (prepared: PreparedTurn, position: number): TurnReceipt => {
    if ('refusal' in prepared) return rejected(prepared.id, prepared.refusal);
    const { turn } = prepared;
    const known =
      fresh.get(turn.id) ?? (scopeId === undefined ? undefined : parts.log.turnById(scopeId, turn.id));
    if (known === undefined) {
      fresh.set(turn.id, turn);
      return { id: turn.id, status: 'stored' };
    }
    if (saysTheSame(known, turn)) return { id: turn.id, status: 'unchanged' };
    const refusal = conflict(`turns[${position}]`, known, turn);
    if (onInvalid === 'throw') throw refusal;
    return rejected(turn.id, refusal);
  };
  const receipts: TurnReceipt[] = [];
  for (const [position, prepared] of turns.entries()) {
    await breathe();
    receipts.push(receiptOf(prepared, position));
  }
  return { receipts, fresh: [...fresh.values()] };
}

function rejected(id: string | undefined, { code, message }: OntomemError): TurnReceipt {
  return { id, status: 'rejected', code, message };
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
  stopOn(signal, 'observe.signal', 'was aborted; nothing of this call was written');
}
