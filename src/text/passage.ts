// What is indexed of a turn: the passage the encoder reads, the terms the lexical arm reads, its flags.

import type { Turn } from '../contract/turn.js';
import { RowFlag } from '../native/layout.js';
import { type TermVector, termsOf, termVector } from './terms.js';

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
const DIGIT = /\p{N}/u;
/** A capitalised word that does not open a sentence and is not 'I'. */
const PROPER_NAME = /[\p{L}\p{N},;:'’"-] +\p{Lu}\p{Ll}/u;
const TIME_WORDS =
  'yesterday today tomorrow tonight last next ago week weekend month year morning evening night recently soon ' +
  'monday tuesday wednesday thursday friday saturday sunday';
const MONTHS = Array.from({ length: 12 }, (_, month) =>
  new Intl.DateTimeFormat('en', { month: 'long', timeZone: 'UTC' }).format(Date.UTC(2000, month, 1)),
);
const TIME_TERMS = new Set(termsOf(`${TIME_WORDS} ${MONTHS.join(' ')}`));

/**
 * 'speaker: text [caption]'. The bare text is found less often (`tune`, text forms: .494, with the speaker .509).
 */
export function passageOf(turn: Pick<Turn, 'speaker' | 'text' | 'caption'>): string {
  return `${turn.speaker}: ${turn.text}${turn.caption === undefined ? '' : ` [${turn.caption}]`}`;
}

/** Terms of the passage and, where the date was given, of its day, month and year (BM25 .598 -> .620). */
export function passageTerms(turn: Turn): TermVector {
  return termVector(`${passageOf(turn)} ${turn.dateSource === 'given' ? dateWords(turn.at) : ''}`);
}

/** What a turn's surface tells: bits of RowFlag. */
export function passageFlags({ text, caption, dateSource }: Turn): number {
  const terms = termsOf(text);
  return (
    (QUESTION_MARK.test(text) ? RowFlag.questionMark : 0) |
    (terms.some((term) => FIRST_PERSON.has(term)) ? RowFlag.firstPerson : 0) |
    (caption === undefined ? 0 : RowFlag.caption) |
    (dateSource === 'given' ? RowFlag.dated : 0) |
    (terms.some((term) => TIME_TERMS.has(term)) ? RowFlag.timeWords : 0) |
    (DIGIT.test(text) ? RowFlag.digits : 0) |
    (PROPER_NAME.test(text) ? RowFlag.properName : 0)
  );
}

/** '8 May 2023': the words a question about a date uses. */
function dateWords(at: number): string {
  const date = new Date(at);
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}
