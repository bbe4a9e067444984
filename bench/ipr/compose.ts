// The composer: assembles and dates authored material into dialogues. It writes no sentence of its own.

import type { BenchConversation } from '../quality/dataset.js';
import { between, type Random, seededRandom, shuffled } from '../random.js';
import type { Corpus, Persona, Preference, Split } from './corpus.js';
import { distractorExchange, type Exchange } from './exchanges.js';
import { dealHands } from './hands.js';
import { dialogueQueries } from './queries.js';
import { arrangeSessions, dateSessions, interleave, type Session } from './sessions.js';

/** Dialogues of each split; 500 together. */
export const DIALOGUES: Readonly<Record<Split, number>> = { train: 250, dev: 80, test: 170 };
/** Distractor exchanges of a dialogue: 50 to 100 turns. */
const DISTRACTORS = { low: 25, high: 50 };
/** Skews their number to the low end, so that dialogues have about 73 turns on average. */
const DISTRACTOR_EXPONENT = 3;
/** Exchanges of an added session. */
const ADDED_SESSION = { low: 6, high: 12 };

/** How many times its own turns a dialogue's history has. */
export const HISTORIES = [1, 2, 4, 8] as const;
export type History = (typeof HISTORIES)[number];

/**
 * The dialogues of a split. With `history` 2, 4 or 8 the same dialogues get more sessions of distractors of
 * the same split (as many as it has). O(turns); the same seed gives the same dialogues.
 */
export function composeDialogues(corpus: Corpus, seed: number, history: History = 1): BenchConversation[] {
  const total = DIALOGUES[corpus.split];
  return corpus.personas.flatMap((persona, position) => {
    const count =
      Math.floor((total * (position + 1)) / corpus.personas.length) -
      Math.floor((total * position) / corpus.personas.length);
    const hands = dealHands(persona, count, seededRandom('hands', seed, persona.id));
    return hands.map((hand, number) => composeDialogue(corpus, persona, hand, { seed, history, number }));
  });
}

interface Setting {
  seed: number;
  history: History;
  number: number;
}

function composeDialogue(
  corpus: Corpus,
  persona: Persona,
  hand: readonly Preference[],
  { seed, history, number }: Setting,
): BenchConversation {
  const id = `${persona.id}-d${String(number + 1).padStart(2, '0')}`;
  const random = seededRandom('dialogue', seed, id);
  const pool = distractorPool(corpus, persona, random);
  const skewed = random() ** DISTRACTOR_EXPONENT * (DISTRACTORS.high - DISTRACTORS.low + 1);
  const used = DISTRACTORS.low + Math.floor(skewed);
  const own = arrangeSessions(hand, shuffled(pool.slice(0, used), random), random);
  const further = seededRandom('history', seed, id, history);
  const turnsWanted = (history - 1) * own.flat(2).length;
  const sessions = interleave(own, addedSessions(pool.slice(used), turnsWanted, further), further);
  const dated = dateSessions(sessions, seededRandom('dates', seed, id));
  return {
    id,
    cluster: persona.id,
    turns: dated.turns,
    queries: dialogueQueries(id, persona, hand, dated),
  };
}

/** The persona's own distractors first, then those of the other personas of its split. */
export function distractorPool({ personas }: Corpus, persona: Persona, random: Random): Exchange[] {
  const others = personas.filter(({ id }) => id !== persona.id).flatMap(({ distractors }) => distractors);
  return [...shuffled(persona.distractors, random), ...shuffled(others, random)].map(distractorExchange);
}

/** Sessions of distractors with `turns` turns together, or as many as the pool has. */
function addedSessions(pool: readonly Exchange[], turns: number, random: Random): Session[] {
  const sessions: Session[] = [];
  const left = pool.slice(0, Math.round(turns / 2));
  while (left.length > 0)
    sessions.push(left.splice(0, between(random, ADDED_SESSION.low, ADDED_SESSION.high)));
  return sessions;
}
