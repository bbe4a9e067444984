// Longer histories: the same dialogues among sessions of other people, as a shared assistant would hold them.
import type { Turn } from '../../src/contract/turn.js';
import type { BenchConversation } from '../quality/dataset.js';
import { seededRandom, shuffled } from '../random.js';
import type { ReadPerson } from './corpus.js';
import { dealDialogues } from './deal.js';

/** How many times its own turns a dialogue's history has. */
export const HISTORIES = [1, 2, 4, 8] as const;
export type History = (typeof HISTORIES)[number];

/**
 * The dialogues of a deal with `history - 1` times as many turns of other persons' sessions before and between their
 * own. Those keep their author's name as speaker: nobody's words become another's. O(turns).
 */
export function lengthen(people: readonly ReadPerson[], deal: number, history: History): BenchConversation[] {
  const dialogues = dealDialogues(people, deal);
  return dialogues.map((dialogue) => {
    const random = seededRandom('history', deal, history, dialogue.id);
    const others = dialogues.filter(({ cluster }) => cluster !== dialogue.cluster).flatMap(sessionsOf);
    const wanted = (history - 1) * dialogue.turns.length;
    const added: Turn[][] = [];
    for (const session of shuffled(others, random)) {
      if (added.flat().length >= wanted) break;
      added.push(session);
    }
    return { ...dialogue, id: `${dialogue.id}-${history}x`, turns: between(dialogue, added, random) };
  });
}

function sessionsOf({ cluster, turns }: BenchConversation): Turn[][] {
  const sessions = new Map<string, Turn[]>();
  for (const turn of turns) {
    const renamed = {
      ...turn,
      id: `${cluster} ${turn.id}`,
      session: `${cluster} ${turn.session}`,
      speaker: turn.speaker === 'User' ? String(cluster) : turn.speaker,
    };
    sessions.set(turn.session, [...(sessions.get(turn.session) ?? []), renamed]);
  }
  return [...sessions.values()];
}

/** Added sessions among the dialogue's own, which keep their order; they take the time of the turn they precede. */
function between(dialogue: BenchConversation, added: readonly Turn[][], random: () => number): Turn[] {
  const own = [...new Set(dialogue.turns.map(({ session }) => session))];
  const places = added.map((session) => ({ session, place: Math.floor(random() * own.length) }));
  return own.flatMap((name, place) => {
    const turns = dialogue.turns.filter(({ session }) => session === name);
    const at = turns[0]?.at ?? 0;
    const before = places.filter((entry) => entry.place === place).flatMap(({ session }) => session);
    return [...before.map((turn) => ({ ...turn, at })), ...turns];
  });
}
