// Conversations of two friends as they were written, with factual questions about them.
import { z } from 'zod';
import { check } from '../../src/contract/check.js';
import type { Turn } from '../../src/contract/turn.js';
import type { BenchConversation, BenchQuery } from '../quality/dataset.js';
import { SPLITS } from './person.js';

const text = z.string().trim().min(1);
const questionKind = z.enum(['single', 'multihop', 'temporal', 'open', 'unanswerable']);

const friendsSchema = z.strictObject({
  id: text,
  split: z.enum(SPLITS),
  speakers: z.tuple([text, text]),
  sessions: z.array(
    z.strictObject({
      at: text,
      turns: z.array(z.strictObject({ id: text, speaker: text, text })),
    }),
  ),
  questions: z.array(z.strictObject({ text, kind: questionKind, gold: z.array(text) })),
});

export type Friends = z.infer<typeof friendsSchema>;

/** The corpus dates sessions only, as LoCoMo does. */
const TURN_MS = 60_000;

/** @throws INVALID_ARGUMENT naming the file and the field. */
export function readFriends(file: string, source: string): Friends {
  return check(friendsSchema, JSON.parse(source) as unknown, file);
}

/** One conversation a pair of friends, asked about after its last turn. */
export function friendsConversations(friends: readonly Friends[]): BenchConversation[] {
  return friends.map((pair) => {
    const turns = turnsOf(pair);
    return { id: pair.id, turns, queries: queriesOf(pair, turns.at(-1)?.at ?? 0) };
  });
}

function turnsOf({ sessions }: Friends): Turn[] {
  return sessions.flatMap(({ at, turns }, number) =>
    turns.map(({ id, speaker, text: said }, position) => ({
      id,
      session: `session_${number + 1}`,
      speaker,
      text: said,
      at: Date.parse(at) + position * TURN_MS,
      dateSource: 'given' as const,
    })),
  );
}

function queriesOf({ id, questions }: Friends, askedAt: number): BenchQuery[] {
  return questions.map(({ text: asked, kind, gold }, number) => ({
    id: `${id}-q${number}`,
    text: asked,
    at: askedAt,
    gold: new Set(gold),
    slices: [`query=${kind}`],
  }));
}
