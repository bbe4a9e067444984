// What is indexed of a turn: the passage the encoder reads, the terms the lexical arm reads, its flags.

import type { Turn } from '../contract/turn.js';
import { type TermVector, termsOf, termVector } from '../encode/terms.js';

/** Bits of a row's flags; the native features read them. */
export const TurnFlag = { question: 1, firstPerson: 2, caption: 4, dated: 8 } as const;

const FIRST_PERSON = new Set([
  'i',
  "i'm",
  "i've",
  "i'd",
  "i'll",
  'me',
  'my',
  'mine',
  'myself',
  'we',
  'our',
  'us',
]);
const QUESTION_MARK = /[?？؟]/u;
const MONTHS = Array.from({ length: 12 }, (_, month) =>
  new Intl.DateTimeFormat('en', { month: 'long', timeZone: 'UTC' }).format(Date.UTC(2000, month, 1)),
);

/**
 * 'speaker: text [caption]'. With the bare text MiniLM finds .30 of LoCoMo's evidence in its top 10,
 * with speaker and caption .44.
 */
export function passageOf(turn: Pick<Turn, 'speaker' | 'text' | 'caption'>): string {
  return `${turn.speaker}: ${turn.text}${turn.caption === undefined ? '' : ` [${turn.caption}]`}`;
}

/** Terms of the passage and, where the date was given, of its day, month and year (BM25 .598 -> .620). */
export function passageTerms(turn: Turn): TermVector {
  return termVector(`${passageOf(turn)} ${turn.dateSource === 'given' ? dateWords(turn.at) : ''}`);
}

export function passageFlags(turn: Turn): number {
  return (
    (QUESTION_MARK.test(turn.text) ? TurnFlag.question : 0) |
    (termsOf(turn.text).some((term) => FIRST_PERSON.has(term)) ? TurnFlag.firstPerson : 0) |
    (turn.caption === undefined ? 0 : TurnFlag.caption) |
    (turn.dateSource === 'given' ? TurnFlag.dated : 0)
  );
}

/** '8 May 2023': the words a question about a date uses. */
function dateWords(at: number): string {
  const date = new Date(at);
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}
