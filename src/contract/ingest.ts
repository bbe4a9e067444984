// What the verbs of the way in ask for and answer: observe, amend, forget, import.
import type { Scope } from './scope.js';
import type { Meta, TurnInput, TurnReceipt } from './turn.js';

/**
 * Up to a hundred new turns are written in one durable transaction, more in several, in order: a call that is killed or
 * whose disk is full in the middle has stored the first of them, and may be made again with the same ids.
 */
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

export interface AmendRequest {
  scope: Scope;
  turn: string;
  /** RFC 7396 merge patch: named fields are replaced, null removes a field, others stay. */
  meta: Meta;
}

/** What is to be forgotten; exactly one is named, so that nothing is forgotten by a slip. */
export type ForgetRequest =
  /** One turn, by its id. */
  | { scope: Scope; turn: string }
  /** Every turn of one session. */
  | { scope: Scope; session: string }
  /** The whole user. */
  | { scope: Scope; everything: true };

export interface ImportRequest {
  records: AsyncIterable<unknown> | Iterable<unknown>;
  /** Import under this scope instead of the one in the header. */
  scope?: Scope;
}

export interface Imported {
  scope: Scope;
  stored: number;
  unchanged: number;
}
