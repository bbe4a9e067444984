// What is said in one go: a user's turn (or two) and the assistant's reply.
import type { Distractor, Preference } from './corpus.js';

export interface Utterance {
  speaker: 'User' | 'Assistant';
  text: string;
  /** The preference whose valid statement this is: the turn that answers queries about it. */
  states?: string;
}

export type Exchange = readonly Utterance[];

export function distractorExchange({ text, reply }: Distractor): Exchange {
  return [
    { speaker: 'User', text },
    { speaker: 'Assistant', text: reply },
  ];
}

/** The statement with its lead before it; of a changed preference this is the superseded one. */
export function statementExchange(preference: Preference): Exchange {
  const { id, lead, statement, reply, later } = preference;
  return [
    ...(lead === undefined ? [] : [{ speaker: 'User' as const, text: lead }]),
    { speaker: 'User', text: statement, ...(later === undefined ? { states: id } : {}) },
    { speaker: 'Assistant', text: reply },
  ];
}

/** The later statement of a changed preference; nothing for others. */
export function laterExchange({ id, later }: Preference): Exchange | undefined {
  if (later === undefined) return undefined;
  return [
    { speaker: 'User', text: later.statement, states: id },
    { speaker: 'Assistant', text: later.reply },
  ];
}
