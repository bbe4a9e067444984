// The way in: turns are checked, encoded once and written durably.
import { z } from 'zod';
import { check } from '../contract/check.js';
import type { Encoder } from '../contract/encoder.js';
import type { Limits } from '../contract/limits.js';
import { type Scope, scopeSchema } from '../contract/scope.js';
import { labelSchema, type Turn, type TurnInput, type TurnReceipt } from '../contract/turn.js';
import { OntomemError } from '../errors.js';
import type { Residency } from '../store/residency.js';
import type { TurnReader } from '../store/turns/turn-reader.js';
import type { IndexedTurn, TurnWriter } from '../store/turns/turn-writer.js';
import { passageFlags, passageOf, passageTerms } from '../text/passage.js';
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

/** What observing works with. */
export interface IngestParts {
  log: TurnReader;
  writer: TurnWriter;
  encoder: Encoder;
  residency: Residency;
  limits: Limits;
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
  const indexed = await index(parts.encoder, [...fresh.values()], signal);
  stopIfAborted(signal);
  if (indexed.length > 0) await parts.writer.append(scope, indexed);
  return { turns: receipts, stored: indexed.length };
}

/** Encodes turns and analyses their words; vectors of all turns come from one encoder call. */
export async function index(
  encoder: Encoder,
  turns: readonly Turn[],
  signal?: AbortSignal,
): Promise<IndexedTurn[]> {
  if (turns.length === 0) return [];
  const { vectors } = await encoder.encode(turns.map(passageOf), {
    role: 'passage',
    ...(signal === undefined ? {} : { signal }),
  });
  const { dimension } = encoder.identity;
  return turns.map((turn, position) =>
    analyse(turn, vectors.slice(position * dimension, (position + 1) * dimension)),
  );
}

/** A turn with its vector, ready to be written: its terms and flags are read off its text. */
export function analyse(turn: Turn, vector: Float32Array): IndexedTurn {
  const { hashes, counts, length } = passageTerms(turn);
  return { turn, vector, flags: passageFlags(turn), termHashes: hashes, termCounts: counts, length };
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
