// What a source of turns is: batches of one session each, checked as a whole before the first is written.
import { createHash } from 'node:crypto';
import type { Scope } from '../../contract/scope.js';
import type { TurnInput } from '../../contract/turn.js';

/** Consecutive turns of one session. */
export interface SourceBatch {
  scope: Scope;
  session: string;
  turns: TurnInput[];
}

/** Where turns go that name no scope or session of their own. */
export interface SourceDefaults {
  scope: Scope;
  session: string;
}

/**
 * Makes ids for turns that have none, from what was said, by whom, when and how often before: reading
 * the same file again gives the same ids, so a second ingest changes nothing.
 */
export class ContentIds {
  readonly #seen = new Map<string, number>();

  idOf(session: string, speaker: string, text: string, at?: string | number | Date): string {
    const content = JSON.stringify([session, speaker, at ?? null, text]);
    const occurrence = this.#seen.get(content) ?? 0;
    this.#seen.set(content, occurrence + 1);
    return createHash('sha256').update(`${content}${occurrence}`).digest('hex').slice(0, 24);
  }
}
