// Turns as a caller hands them over -> turns as the store keeps them, each checked on its own.
import { monotonicFactory } from 'ulidx';
import type { z } from 'zod';
import { check, checkMoment, checkText } from '../contract/check.js';
import type { Limits } from '../contract/limits.js';
import { checkMeta } from '../contract/meta.js';
import { turnInputSchema } from '../contract/schemas.js';
import type { Turn, TurnInput } from '../contract/turn.js';

const makeId = monotonicFactory();

/** What the turns of a call have in common. */
export interface TurnFrame {
  session: string;
  /** When the call was made: the date of a turn that has none. */
  calledAt: number;
}

/** Checks one turn and fills in what it leaves open: id, date, date source. Errors name `input`. */
export function prepareTurn(
  value: unknown,
  { session, calledAt }: TurnFrame,
  limits: Limits,
  input: string,
): Turn {
  const given: TurnInput = check(turnInputSchema as z.ZodType<TurnInput>, value, input);
  const at = given.at === undefined ? calledAt : checkMoment(given.at, `${input}.at`);
  return {
    id: given.id ?? makeId(),
    session,
    speaker: given.speaker,
    text: checkText(given.text, `${input}.text`, limits.textBytes),
    at,
    dateSource: given.at === undefined ? 'ingest' : 'given',
    ...(given.caption === undefined || given.caption === ''
      ? {}
      : { caption: checkText(given.caption, `${input}.caption`, limits.textBytes) }),
    ...(given.meta === undefined ? {} : { meta: checkMeta(given.meta, `${input}.meta`, limits.metaBytes) }),
  };
}

/** True when re-observing `turn` changes nothing about what is stored. */
export function saysTheSame(stored: Turn, turn: Turn): boolean {
  return stored.text === turn.text && stored.speaker === turn.speaker && stored.session === turn.session;
}
