// Cuts turns into sentences that still say who is speaking and whose turn they are.
import type { PreparedConversation } from '../arm.js';

export interface Sentence {
  /** Position of its turn. */
  turn: number;
  /** Without the speaker. */
  words: string;
  /** 'speaker: sentence', as turns are encoded. */
  text: string;
}

/** Shorter ones ('Wow!', 'No way.') say nothing alone and stay with the sentence after them. */
const SHORTEST_WORDS = 4;

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

/** The sentences of a turn in order; a picture's caption is one of its own. */
export function sentencesOf(conversation: PreparedConversation, position: number): Sentence[] {
  const turn = conversation.turns[position];
  if (turn === undefined) return [];
  const texts: string[] = [];
  let pending = '';
  for (const { segment } of segmenter.segment(turn.text)) {
    pending += segment;
    if (pending.trim().split(/\s+/).length < SHORTEST_WORDS) continue;
    texts.push(pending.trim());
    pending = '';
  }
  if (pending.trim() !== '') texts.push(pending.trim());
  if (turn.caption !== undefined) texts.push(`[${turn.caption}]`);
  return texts.map((words) => ({ turn: position, words, text: `${turn.speaker}: ${words}` }));
}

/** Positions of each session's turns, sessions in the order they began. */
export function sessionsOf(conversation: PreparedConversation): number[][] {
  const sessions = new Map<string, number[]>();
  for (const [position, { session }] of conversation.turns.entries()) {
    const known = sessions.get(session);
    if (known === undefined) sessions.set(session, [position]);
    else known.push(position);
  }
  return [...sessions.values()];
}
