// What is indexed of a turn: the passage the encoder reads, the terms the lexical arm reads, its flags.

import { atOnce, type Slices } from '../breather.js';
import type { Turn } from '../contract/turn.js';
import { RowFlag } from '../native/layout.js';
import { TermCounts, type TermVector, termsOf } from './terms.js';

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

/** What is indexed of a turn beside its vector. */
export interface Passage {
  terms: TermVector;
  /** Bits of RowFlag. */
  flags: number;
}

/** Reads a turn's terms and flags in slices. O(text). */
export function* readPassage(turn: Turn): Slices<Passage> {
  const { speaker, text, caption, at, dateSource } = turn;
  const terms = new TermCounts();
  let flags = surfaceFlags(turn);
  yield* terms.read(speaker);
  yield* terms.read(text, (term) => {
    if (FIRST_PERSON.has(term)) flags |= RowFlag.firstPerson;
    if (TIME_TERMS.has(term)) flags |= RowFlag.timeWords;
  });
  yield* terms.read(caption ?? '');
  yield* terms.read(dateSource === 'given' ? dateWords(at) : '');
  return { terms: terms.vector(), flags };
}

/** Terms of the passage and, where the date was given, of its day, month and year (BM25 .598 -> .620). */
export function passageTerms(turn: Turn): TermVector {
  return atOnce(readPassage(turn)).terms;
}

/** What a turn's surface tells: bits of RowFlag. */
export function passageFlags(turn: Turn): number {
  return atOnce(readPassage(turn)).flags;
}

function surfaceFlags({ text, caption, dateSource }: Turn): number {
  return (
    (QUESTION_MARK.test(text) ? RowFlag.questionMark : 0) |
    (caption === undefined ? 0 : RowFlag.caption) |
    (dateSource === 'given' ? RowFlag.dated : 0) |
    (DIGIT.test(text) ? RowFlag.digits : 0) |
    (PROPER_NAME.test(text) ? RowFlag.properName : 0)
  );
}

/** '8 May 2023': the words a question about a date uses. */
function dateWords(at: number): string {
  const date = new Date(at);
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}
