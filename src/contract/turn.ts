// What a turn is: one utterance of a conversation, as a caller hands it over and as the store keeps it.

/**
 * JSON values a caller may attach to a turn; ontomem keeps them and never reads them. What JSON would change
 * (a Date, a Map, NaN, undefined) is refused.
 */
export type Meta = Record<string, unknown>;

/** One stored utterance. */
export interface Turn {
  readonly id: string;
  readonly session: string;
  readonly speaker: string;
  readonly text: string;
  /** When it was said, in milliseconds since the epoch. */
  readonly at: number;
  /** `given` by the caller, or the `ingest` time because the caller gave none. */
  readonly dateSource: 'given' | 'ingest';
  /** What an attached picture shows, in words. */
  readonly caption?: string;
  readonly meta?: Meta;
}

/** One utterance on its way in. `id` is made when absent; `at` is a Date, ISO 8601 text or milliseconds. */
export interface TurnInput {
  id?: string;
  speaker: string;
  text: string;
  at?: Date | string | number;
  caption?: string;
  meta?: Meta;
}

/** What became of one turn of an observe call. */
export type TurnReceipt =
  | { id: string; status: 'stored' | 'unchanged' }
  | { id: string | undefined; status: 'rejected'; code: string; message: string };
