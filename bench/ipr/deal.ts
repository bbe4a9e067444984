// Deals a person's sessions into one dated dialogue: some are left out, the others come in another order.
import type { Turn } from '../../src/contract/turn.js';
import type { BenchConversation, BenchQuery } from '../quality/dataset.js';
import { between, type Random, seededRandom, shuffled } from '../random.js';
import type { ReadPerson } from './corpus.js';
import type { AuthoredSession, Request } from './person.js';
import { decidingTurns } from './readings.js';

/** Sessions that a deal leaves out, so that no two deals of a person are the same dialogue. */
const LEFT_OUT = 2;
/** Statements that every dialogue tells at least. */
export const LEAST_STATEMENTS = 20;
/** How many places a session moves at most, before what must precede it is put right. */
const SHIFT = 5;
/** Days from one session to the next. */
const DAYS_BETWEEN = { low: 3, high: 12 };
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const FIRST_DAY = Date.UTC(2023, 0, 2);
const START_DAYS = 500;
const TURN_MS = { low: 15_000, high: 120_000 };

/** Upper bounds, in turns, of the bins of the paper's figure; the last one is open. */
const GAPS = [
  { from: 60, label: '60+' },
  { from: 41, label: '41-59' },
  { from: 21, label: '21-40' },
  { from: 1, label: '1-20' },
] as const;

/** One dialogue a person; the same seed gives the same dialogues. O(turns). */
export function dealDialogues(people: readonly ReadPerson[], deal: number): BenchConversation[] {
  return people.map((person) => dealDialogue(person, deal));
}

export function dealDialogue(person: ReadPerson, deal: number): BenchConversation {
  const random = seededRandom('deal', deal, person.id);
  const sessions = ordered(chosen(person, random), random);
  const { turns, askedAt } = dated(sessions, random);
  return {
    id: `${person.id}-${deal}`,
    cluster: person.id,
    turns,
    queries: person.requests.flatMap((request) => queryOf(person, request, turns, askedAt) ?? []),
  };
}

/** All but two of the sessions: none that another one needs, and not so many statements that too few are left. */
function chosen(person: ReadPerson, random: Random): AuthoredSession[] {
  let kept = [...person.sessions];
  const told = (sessions: readonly AuthoredSession[]) => {
    const turns = new Set(sessions.flatMap((session) => session.turns.map(({ id }) => id)));
    return person.statements.filter(({ turn }) => turns.has(turn)).length;
  };
  for (const candidate of shuffled(person.sessions, random)) {
    if (kept.length === person.sessions.length - LEFT_OUT) break;
    const rest = kept.filter(({ id }) => id !== candidate.id);
    if (rest.some(({ after }) => after === candidate.id) || told(rest) < LEAST_STATEMENTS) continue;
    kept = rest;
  }
  return kept;
}

/** The sessions a few places apart from where they were written, each behind the one it follows. */
function ordered(sessions: readonly AuthoredSession[], random: Random): AuthoredSession[] {
  const keyed = sessions.map((session, place) => ({ session, key: place + random() * SHIFT }));
  const waiting = keyed.sort((a, b) => a.key - b.key).map(({ session }) => session);
  const result: AuthoredSession[] = [];
  while (waiting.length > 0) {
    const next = waiting.findIndex(({ after }) => !waiting.some(({ id }) => id === after));
    result.push(...waiting.splice(Math.max(0, next), 1));
  }
  return result;
}

function dated(sessions: readonly AuthoredSession[], random: Random): { turns: Turn[]; askedAt: number } {
  const turns: Turn[] = [];
  let day = FIRST_DAY + between(random, 0, START_DAYS) * DAY_MS;
  let at = day;
  for (const { id: session, turns: said } of sessions) {
    at = day + between(random, 7 * HOUR_MS, 21 * HOUR_MS);
    for (const { id, by, text } of said) {
      turns.push({ id, session, speaker: by, text, at, dateSource: 'given' });
      at += between(random, TURN_MS.low, TURN_MS.high);
    }
    day += between(random, DAYS_BETWEEN.low, DAYS_BETWEEN.high) * DAY_MS;
  }
  return { turns, askedAt: at + between(random, 1, 3) * DAY_MS };
}

/** The request with its gold; undefined where this dialogue leaves out a turn that decides it or misleads. */
function queryOf(
  person: ReadPerson,
  request: Request,
  turns: readonly Turn[],
  askedAt: number,
): BenchQuery | undefined {
  const grades = person.gold.get(request.id) ?? new Map();
  const deciding = decidingTurns(grades);
  const dealt = new Set(turns.map(({ id }) => id));
  const misleading = misleadingTurn(person, request);
  const needed = [...deciding, ...(misleading === undefined ? [] : [misleading])];
  if (deciding.length === 0 || needed.some((turn) => !dealt.has(turn))) return undefined;
  return {
    id: `${person.id}-${request.id}`,
    text: request.text,
    ...(request.context.length === 0 ? {} : { context: request.context }),
    at: askedAt,
    gold: new Set(deciding),
    grades: new Map([...grades].filter(([turn]) => dealt.has(turn))),
    ...(misleading === undefined ? {} : { misleading }),
    slices: [
      `slice=${request.slice}`,
      `domain=${person.domains[0]}`,
      `voice=${person.voice}`,
      `gap=${gapOf(deciding, turns)}`,
    ],
  };
}

/** The turn that would be the wrong answer: the superseded statement or the decoy. */
function misleadingTurn({ statements }: ReadPerson, { old, decoy }: Request): string | undefined {
  return old === undefined ? decoy : statements.find(({ id }) => id === old)?.turn;
}

/** Turns between the oldest deciding turn and the query. */
function gapOf(gold: readonly string[], turns: readonly Turn[]): string {
  const gap = turns.length - turns.findIndex(({ id }) => gold.includes(id));
  return GAPS.find(({ from }) => gap >= from)?.label ?? '1-20';
}

/** Requests that nothing in what was said decides: the measure leaves them out. */
export function undecided(person: ReadPerson): Request[] {
  return person.requests.filter(({ id }) => decidingTurns(person.gold.get(id)).length === 0);
}

/** Turn ids of a person's statements. */
export function statementTurns({ statements }: ReadPerson): Set<string> {
  return new Set(statements.map(({ turn }) => turn));
}
