// The lexical side of a query: what it asks about, without the words that only make it a question.
import { type TermVector, termVector } from './terms.js';

/** English function words. Other languages rely on the inverse document frequency alone. */
const FUNCTION_WORDS = new Set(
  `a an the this that these those and or but if then than as of in on at to for from by with about into over
  after before during between i me my mine we us our ours you your yours he him his she her hers it its they them
  their theirs who whom whose what which when where why how do does did done is am are was were be been being
  have has had having will would shall should can could may might must not no so there here any some it's i'm
  what's who's where's when's how's that's don't doesn't didn't isn't aren't wasn't weren't`.split(/\s+/),
);
const WORD = /[\p{L}\p{N}\p{M}'’]+/gu;
const SENTENCE_END = /[.!?…]\s*$/u;

/**
 * Terms of a query. Function words go, unless they are written as part of a name ('The Who': a capital
 * inside a sentence) or nothing else is left. The index keeps them all. LoCoMo, MiniLM: BM25 .603 -> .646
 * R@10, fused .706 -> .731.
 */
export function queryTerms(text: string): TermVector {
  const kept: string[] = [];
  let rest = 0;
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const before = text.slice(0, index);
    const opensSentence = before.trim() === '' || SENTENCE_END.test(before);
    const named = !opensSentence && /^\p{Lu}/u.test(word) && word !== 'I';
    if (!named && FUNCTION_WORDS.has(word.toLowerCase().replaceAll('’', "'"))) rest++;
    else kept.push(word);
  }
  return termVector(kept.length > 0 || rest === 0 ? kept.join(' ') : text);
}
