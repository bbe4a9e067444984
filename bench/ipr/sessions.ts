// Exchanges -> sessions over weeks: preferences early, changes of mind weeks later, distractors everywhere.
import type { Turn } from '../../src/contract/turn.js';
import { between, type Random, shuffled } from '../random.js';
import type { Preference } from './corpus.js';
import { type Exchange, laterExchange, statementExchange } from './exchanges.js';

const SESSIONS = { low: 3, high: 8 };
/** Days from one session to the next: two gaps make the two weeks that a change of mind takes. */
const DAYS_BETWEEN = { low: 7, high: 15 };
const CHANGE_AFTER_SESSIONS = 2;
/** Of a session's draw in [0,1): squared, it puts half of the statements into the first fifth. */
const EARLY_EXPONENT = 2;
/** Statements fall into this first part of the sessions. */
const EARLY_PART = 0.8;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const FIRST_DAY = Date.UTC(2023, 0, 2);
const START_DAYS = 500;
const TURN_MS = { low: 15_000, high: 120_000 };

export type Session = readonly Exchange[];

/** Distributes a dialogue's exchanges over 3 to 8 sessions. */
export function arrangeSessions(
  preferences: readonly Preference[],
  distractors: readonly Exchange[],
  random: Random,
): Session[] {
  const count = between(random, SESSIONS.low, SESSIONS.high);
  const sessions = Array.from({ length: count }, (): Exchange[] => []);
  for (const [position, exchange] of distractors.entries()) {
    // The first round gives every session one; the others fall where they fall.
    sessions[position < count ? position : between(random, 0, count - 1)]?.push(exchange);
  }
  for (const preference of preferences) {
    const later = laterExchange(preference);
    const early = Math.floor(random() ** EARLY_EXPONENT * EARLY_PART * count);
    const first = later === undefined ? early : Math.min(early, count - 1 - CHANGE_AFTER_SESSIONS);
    insert(sessions[first], statementExchange(preference), random);
    if (later !== undefined) {
      insert(sessions[between(random, first + CHANGE_AFTER_SESSIONS, count - 1)], later, random);
    }
  }
  return sessions;
}

/** Puts more sessions between the given ones, whose order stays. */
export function interleave(
  sessions: readonly Session[],
  more: readonly Session[],
  random: Random,
): Session[] {
  const places = shuffled([...sessions.map(() => 'own'), ...more.map(() => 'more')], random);
  const own = [...sessions];
  const added = [...more];
  return places.flatMap((place) => (place === 'own' ? own.splice(0, 1) : added.splice(0, 1)));
}

export interface Dated {
  turns: Turn[];
  /** Preference id -> id of the turn that states it. */
  statedBy: Map<string, string>;
  /** When the queries are asked: one to three days after the last turn. */
  askedAt: number;
}

/** Gives turns ids ('s2:14') and times; sessions lie 7 to 15 days apart, turns seconds to minutes. */
export function dateSessions(sessions: readonly Session[], random: Random): Dated {
  const turns: Turn[] = [];
  const statedBy = new Map<string, string>();
  let day = FIRST_DAY + between(random, 0, START_DAYS) * DAY_MS;
  let at = day;
  for (const [number, session] of sessions.entries()) {
    at = day + between(random, 7 * HOUR_MS, 21 * HOUR_MS);
    for (const [position, { speaker, text, states }] of session.flat().entries()) {
      const id = `s${number + 1}:${position + 1}`;
      turns.push({ id, session: `s${number + 1}`, speaker, text, at, dateSource: 'given' });
      if (states !== undefined) statedBy.set(states, id);
      at += between(random, TURN_MS.low, TURN_MS.high);
    }
    day += between(random, DAYS_BETWEEN.low, DAYS_BETWEEN.high) * DAY_MS;
  }
  return { turns, statedBy, askedAt: at + between(random, 1, 3) * DAY_MS };
}

function insert(session: Exchange[] | undefined, exchange: Exchange, random: Random): void {
  session?.splice(between(random, 0, session.length), 0, exchange);
}
