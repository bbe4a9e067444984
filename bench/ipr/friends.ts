// The two-person conversations as they were written, with their questions.
import type { Turn } from '../../src/contract/turn.js';
import type { BenchConversation } from '../quality/dataset.js';
import type { Corpus, Friends } from './corpus.js';
import { friendsQueries } from './queries.js';

/** The corpus dates sessions only, as LoCoMo does. */
const TURN_MS = 60_000;

/** One conversation a pair of friends, asked about after its last turn. */
export function friendsConversations({ friends }: Corpus): BenchConversation[] {
  return friends.map((pair) => {
    const turns = turnsOf(pair);
    return { id: pair.id, turns, queries: friendsQueries(pair, turns.at(-1)?.at ?? 0) };
  });
}

function turnsOf({ sessions }: Friends): Turn[] {
  return sessions.flatMap(({ at, turns }, number) =>
    turns.map(({ id, speaker, text }, position) => ({
      id,
      session: `session_${number + 1}`,
      speaker,
      text,
      at: Date.parse(at) + position * TURN_MS,
      dateSource: 'given' as const,
    })),
  );
}
