// What an authored person is: sessions with their assistant, the statements told in them, and what is asked later.

export const SPLITS = ['train', 'dev', 'test'] as const;
export type Split = (typeof SPLITS)[number];

/** The kinds of requests, each reported apart. */
export const REQUEST_SLICES = [
  'open',
  'plain',
  'cross-domain',
  'ellipsis',
  'alias',
  'changed',
  'other',
  'decoy',
  'spread',
] as const;
export type RequestSlice = (typeof REQUEST_SLICES)[number];

/** User's turns that look like a preference and are none. */
export const DECOY_KINDS = ['hypothetical', 'reported', 'ironic'] as const;

/** What a user's turn is: a statement, something informative that answers no request, a decoy, or small talk. */
export const USER_KINDS = [
  'statement',
  'event',
  'others',
  'considered',
  'owned',
  'fellthrough',
  'fact',
  ...DECOY_KINDS,
  'chat',
] as const;
export type UserKind = (typeof USER_KINDS)[number];

export const RELATIONS = [
  'LIKES',
  'DISLIKES',
  'AVOIDS',
  'OWNS',
  'PLANS',
  'HABIT',
  'LIVES_IN',
  'WORKS_AS',
  'RELATED_TO',
] as const;
export type Relation = (typeof RELATIONS)[number];

/** What one statement says, as an extractor should find it. */
export interface StatementLabel {
  relation: Relation;
  polarity: 1 | -1;
  /** 'user', or the other person as the text names them. */
  subject: string;
  /** A noun phrase that describes it to a stranger. */
  concept: string;
  /** A verbatim piece of the text. */
  span: string;
}

export interface Statement extends StatementLabel {
  id: string;
  /** Id of the turn that tells it. */
  turn: string;
}

export interface AuthoredTurn {
  /** 's03.2': session and place in it, from 1. */
  id: string;
  by: 'User' | 'Assistant';
  kind: UserKind | 'reply';
  text: string;
  /** Statements that the assistant paraphrases or confirms here. */
  echoes: readonly string[];
}

export interface AuthoredSession {
  id: string;
  topic: string;
  /** The session it makes no sense before. */
  after?: string;
  turns: readonly AuthoredTurn[];
}

/** What the person asks months later. */
export interface Request {
  /** 'r07': its place among the person's requests, from 1. */
  id: string;
  slice: RequestSlice;
  text: string;
  /** The turns just before it, oldest first. */
  context: readonly string[];
  /** Statements its author had in mind; what counts as gold are the readings of the text (`readings.ts`). */
  intended: readonly string[];
  /** The statement that held before: the wrong answer now. */
  old?: string;
  /** Id of the turn that looks like the answer. */
  decoy?: string;
}

export interface Person {
  id: string;
  split: Split;
  name: string;
  /** The main one first. */
  domains: readonly string[];
  voice: string;
  about: string;
  sessions: readonly AuthoredSession[];
  statements: readonly Statement[];
  requests: readonly Request[];
}

/** All turns in the order written. */
export function turnsOf({ sessions }: Pick<Person, 'sessions'>): AuthoredTurn[] {
  return sessions.flatMap(({ turns }) => [...turns]);
}
