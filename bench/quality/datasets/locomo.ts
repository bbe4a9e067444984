// LoCoMo as a data set: ten public conversations, by the evidence protocol of its reader.
import type { Turn } from '../../../src/contract/turn.js';
import { type LocomoConversation, readLocomo } from '../../../src/ingest/sources/locomo.js';
import { readJsonFile } from '../../../src/ingest/sources/read-source.js';
import type { BenchConversation, Dataset } from '../dataset.js';

/** Questions about what was never said; reported apart. */
export const ADVERSARIAL = 'category=5';

/** Reads the file. Questions whose evidence names no turn are left out. @throws SOURCE_INVALID. */
export function locomoDataset(file: string): Dataset {
  const conversations = readLocomo(readJsonFile(file), file);
  return { name: 'locomo', split: 'test', conversations: conversations.map(toBench) };
}

/** The turns of a conversation, in order. */
export function locomoTurns(conversation: LocomoConversation): Turn[] {
  return conversation.sessions.flatMap(({ session, turns }) =>
    turns.map(({ id = '', speaker, text, at, caption }) => ({
      id,
      session,
      speaker,
      text,
      at: Number(at ?? 0),
      dateSource: at === undefined ? ('ingest' as const) : ('given' as const),
      ...(caption === undefined ? {} : { caption }),
    })),
  );
}

function toBench(conversation: LocomoConversation): BenchConversation {
  const turns = locomoTurns(conversation);
  const end = Math.max(0, ...turns.map(({ at }) => at));
  return {
    id: conversation.id,
    turns,
    queries: conversation.questions.flatMap(({ text, category, evidence }, position) =>
      evidence.length === 0
        ? []
        : [
            {
              id: `${conversation.id}-q${position}`,
              text,
              at: end,
              gold: new Set(evidence),
              slices: [`category=${category}`],
            },
          ],
    ),
  };
}
