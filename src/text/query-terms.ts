// The lexical side of a query: what it asks about, without the words that only make it a question.
import { atOnce, type Slices } from '../breather.js';
import { TermCounts, type TermVector } from './terms.js';

/** English function words. Other languages rely on the inverse document frequency alone. */
const FUNCTION_WORDS = new Set(
  `a an the this that these those and or but if then than as of in on at to for from by with about into over
  after before during between i me my mine we us our ours you your yours he him his she her hers it its they them
  their theirs who whom whose what which when where why how do does did done is am are was were be been being
  have has had having will would shall should can could may might must not no so there here any some it's i'm
  what's who's where's when's how's that's don't doesn't didn't isn't aren't wasn't weren't`.split(/\s+/),
);
const WORD = /[\p{L}\p{N}\p{M}'’]+/gu;
const SENTENCE_END = /[.!?…]$/u;
const CAPITAL = /^\p{Lu}/u;

/**
 * No question has 256 distinct terms: what a longer text asks stands in its first ones. A word takes 20 us to
 * stem, so that 1,024 held the thread for as long as eight searches; the native core would take as many.
 */
const BOUNDS = { distinct: 256, length: 1024 };

/** Characters read at most, about what the encoder reads too. */
const QUERY_CHARACTERS = 4096;

/** Of a run without spaces, which is divided as a whole: 4,096 characters of Han take 15 ms. */
const RUN_CHARACTERS = 256;

/**
 * Terms of the first 4,096 characters of a query, at most 256 distinct ones. Function words go, unless they
 * are written as part of a name ('The Who': a capital inside a sentence) or nothing else is left. The index
 * keeps them all. They go so that a question about nothing is told by having no word in memory (`tune`, text forms:
 * .452 -> .509, a tenth of it such questions); for answers alone they might stay (.498 without, .502 with them).
 * O(what is read).
 */
export function queryTerms(query: string): TermVector {
  return atOnce(readQueryTerms(query));
}

/** `queryTerms` in slices. */
export function* readQueryTerms(query: string): Slices<TermVector> {
  // Normalised here, as the terms will be: one character can stand for eighteen.
  const opening = query.trimStart().slice(0, QUERY_CHARACTERS).normalize('NFKC');
  const text = opening.slice(0, QUERY_CHARACTERS);
  const kept: string[] = [];
  let rest = 0;
  let end = 0;
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const gap = text.slice(end, index).trimEnd();
    const opensSentence = (end === 0 && gap === '') || SENTENCE_END.test(gap);
    end = index + word.length;
    const named = !opensSentence && CAPITAL.test(word) && word !== 'I';
    if (!named && FUNCTION_WORDS.has(word.toLowerCase().replaceAll('’', "'"))) rest++;
    else if (kept.push(word.slice(0, RUN_CHARACTERS)) >= BOUNDS.length) break;
  }
  const terms = new TermCounts(BOUNDS);
  yield* terms.read(kept.length > 0 || rest === 0 ? kept.join(' ') : text);
  return terms.vector();
}
