// Dialogues of at most ten turns: a user the memory has just met.

import type { BenchConversation } from '../quality/dataset.js';
import { seededRandom, shuffled } from '../random.js';
import { distractorPool } from './compose.js';
import type { Corpus } from './corpus.js';
import { statementExchange } from './exchanges.js';
import { dialogueQueries } from './queries.js';
import { dateSessions } from './sessions.js';

/** A cold dialogue has at most so many turns. */
export const COLD_TURNS = 10;
const PREFERENCES = 2;
const PER_PERSONA = 3;

/** Three dialogues a persona, each with two preferences that were not told in another one. */
export function composeColdStarts(corpus: Corpus, seed: number): BenchConversation[] {
  return corpus.personas.flatMap((persona) => {
    const random = seededRandom('cold', seed, persona.id);
    const lasting = persona.preferences.filter(({ later }) => later === undefined);
    const deck = shuffled(lasting, random);
    return Array.from({ length: PER_PERSONA }, (_, number) => {
      const hand = deck.slice(number * PREFERENCES, (number + 1) * PREFERENCES);
      const told = hand.map(statementExchange);
      const fillers = Math.floor((COLD_TURNS - told.flat().length) / 2);
      const distractors = distractorPool(corpus, persona, random).slice(0, fillers);
      const id = `${persona.id}-cold${number + 1}`;
      const dated = dateSessions([shuffled([...distractors, ...told], random)], random);
      const queries = dialogueQueries(id, persona, hand, dated);
      return { id, cluster: persona.id, turns: dated.turns, queries };
    });
  });
}
