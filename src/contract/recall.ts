// What a recall asks for and what it answers.
import type { Scope } from './scope.js';

/** Which turns may be returned; all conditions hold together. Times are half-open: from <= at < to. */
export interface RecallFilter {
  session?: string;
  speaker?: string;
  from?: Date | string | number;
  to?: Date | string | number;
}

export interface RecallRequest {
  scope: Scope;
  query: string;
  /** The turns just before the query, oldest first: they lend meaning to 'and for Sunday?'. */
  context?: readonly string[];
  /** How many pieces of evidence at most; 1 to 1,000, default 10. */
  limit?: number;
  /** Answer as the memory stood then: later turns are invisible. */
  asOf?: Date | string | number;
  filter?: RecallFilter;
  /** After this many milliseconds the best answer so far is returned, with `partial: true`. */
  deadlineMs?: number;
  /** Adds each arm's part to every piece of evidence. */
  explain?: boolean;
  signal?: AbortSignal;
}

/** The parts a score is made of, as `explain` shows them. Arms are z-scores over the scope's turns. */
export interface Explanation {
  dense: number;
  lexical: number;
  /** What the neighbouring turns of the session lent. */
  structure: number;
  /** The sum the calibrated score comes from. */
  fused: number;
}

/** One remembered turn, with the reason it is here. */
export interface Evidence {
  turnId: string;
  session: string;
  speaker: string;
  text: string;
  caption?: string;
  at: number;
  /** Calibrated relevance in [0,1]; evidence is sorted by it. */
  score: number;
  explanation?: Explanation;
}

/**
 * What a deadline left out: `encoding`, so that words alone were searched by; `loading`, so that the newer
 * turns of a scope that was not in memory were not searched; `search`, the stages behind the first ones.
 */
export type LatePart = 'encoding' | 'loading' | 'search';

export interface Recall {
  recallId: string;
  evidence: Evidence[];
  /** Nothing in memory bears on the query. */
  abstained: boolean;
  /** The deadline cut the work short, or had passed when the answer stood; `late` names what was late. */
  partial: boolean;
  late: LatePart[];
  /** The arms that took part: without a vector there is no dense one, without known words no lexical one. */
  route: { lead: 'dense-first'; arms: ReadonlyArray<'dense' | 'lexical' | 'structure'> };
  /**
   * Of this request alone, in milliseconds: waiting for its vector, its own search, and from the call until
   * its answer stood. In `recallMany` the total also holds the searches of the requests before it.
   */
  timings: { encodeMs: number; searchMs: number; totalMs: number };
  /** Turns whose score was looked at, and those of them that were ranked for the answer. */
  cost: { scored: number; candidates: number };
}
