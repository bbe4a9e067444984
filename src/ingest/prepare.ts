// Turns as a caller hands them over -> turns as the store keeps them, each checked on its own.
import { monotonicFactory } from 'ulidx';
import type { z } from 'zod';
import { check, checkMoment, checkText } from '../contract/check.js';
import type { Limits } from '../contract/limits.js';
import { type Meta, type Turn, type TurnInput, turnInputSchema } from '../contract/turn.js';
import { OntomemError } from '../errors.js';

const makeId = monotonicFactory();

/** Checks one turn and fills in what it leaves open: id, date, date source. Errors name `input`. */
export function prepareTurn(value: unknown, session: string, limits: Limits, input: string): Turn {
  const given: TurnInput = check(turnInputSchema as z.ZodType<TurnInput>, value, input);
  const at = given.at === undefined ? Date.now() : checkMoment(given.at, `${input}.at`);
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

/** Metadata must survive JSON and stay within its limit. */
export function checkMeta(meta: Meta, input: string, limitBytes: number): Meta {
  let json: string | undefined;
  try {
    json = JSON.stringify(meta);
  } catch (error) {
    throw new OntomemError('INVALID_ARGUMENT', {
      input,
      problem: `is not JSON (${String(error)})`,
      cause: error,
    });
  }
  const kept: unknown = json === undefined ? undefined : JSON.parse(checkText(json, input, limitBytes));
  if (typeof kept === 'object' && kept !== null && !Array.isArray(kept)) return kept as Meta;
  throw new OntomemError('INVALID_ARGUMENT', { input, problem: 'is no object once it is JSON' });
}

/** True when re-observing `turn` changes nothing about what is stored. */
export function saysTheSame(stored: Turn, turn: Turn): boolean {
  return stored.text === turn.text && stored.speaker === turn.speaker && stored.session === turn.session;
}
