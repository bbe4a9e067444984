// The form-matched measure of a data set that has no pools of its own: turns that answer something are the candidates.
import type { BenchConversation, Dataset } from '../dataset.js';

/**
 * Keeps of every conversation the turns that answer at least one of its questions. Each is a session of its own: who
 * stood beside it is not there any more, so that meaning alone tells one from another. O(turns).
 */
export function amongGold(dataset: Dataset): Dataset {
  return { ...dataset, conversations: dataset.conversations.map(answersOnly) };
}

function answersOnly(conversation: BenchConversation): BenchConversation {
  const gold = new Set(conversation.queries.flatMap((query) => [...query.gold]));
  const turns = conversation.turns.filter(({ id }) => gold.has(id));
  return { ...conversation, turns: turns.map((turn) => ({ ...turn, session: turn.id })) };
}
