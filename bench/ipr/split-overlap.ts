// What two splits have in common and must not: people, texts, and concepts, by spelling and by meaning.
import type { NamedText } from './variety.js';
import { nearDuplicates, wordsOf } from './variety.js';

/** Jaccard similarity of word trigrams from which two texts count as the same one reworded. */
export const NEAR_DUPLICATE = 0.4;
/** Cosine of two descriptors from which they name the same concept. */
export const SAME_CONCEPT = 0.7;

/** Texts of one side that stand, word for word or reworded, on the other. O(texts sharing a trigram). */
export function sharedTexts(a: readonly NamedText[], b: readonly NamedText[]): string[] {
  const mark = (side: string, texts: readonly NamedText[]) =>
    texts.map(({ place, text }) => ({ place: `${side} ${place}`, text }));
  return nearDuplicates([...mark('a', a), ...mark('b', b)], NEAR_DUPLICATE)
    .filter(([first, second]) => first.slice(0, 2) !== second.slice(0, 2))
    .map(([first, second]) => `${first} ~ ${second}`);
}

/** Names on both sides; case, punctuation and a leading article make no difference. */
export function common(a: readonly string[], b: readonly string[]): string[] {
  const first = new Set(a.map(normalised));
  return [...new Set(b.map(normalised))].filter((entry) => first.has(entry));
}

function normalised(text: string): string {
  return wordsOf(text)
    .join(' ')
    .replace(/^(?:the|a|an|le|la|el|les|il) /, '');
}
