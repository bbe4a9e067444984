// Dialogues of at most ten turns: a user the memory has just met.

import type { BenchConversation } from '../quality/dataset.js';
import type { ReadPerson } from './corpus.js';
import { dealDialogue } from './deal.js';

/** A cold dialogue has at most so many turns. */
export const COLD_TURNS = 10;
const PER_PERSON = 3;

/** Up to three dialogues a person, each one session of theirs, with the requests that it alone decides. */
export function composeColdStarts(people: readonly ReadPerson[], deal: number): BenchConversation[] {
  return people.flatMap((person) => {
    const whole = dealDialogue(person, deal);
    const sessions = [...new Set(whole.turns.map(({ session }) => session))];
    return sessions
      .map((name) => coldDialogue(whole, name))
      .filter(({ queries }) => queries.length > 0)
      .slice(0, PER_PERSON);
  });
}

function coldDialogue(whole: BenchConversation, session: string): BenchConversation {
  const turns = whole.turns.filter((turn) => turn.session === session);
  const told = new Set(turns.map(({ id }) => id));
  const queries = whole.queries.filter(({ gold }) => [...gold].every((turn) => told.has(turn)));
  return { ...whole, id: `${whole.id}-${session}`, turns, queries };
}
