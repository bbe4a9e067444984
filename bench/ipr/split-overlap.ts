// What two splits have in common and must not: people, texts, concepts and named items.
import type { Corpus } from './corpus.js';
import { allTexts } from './corpus-texts.js';
import { nearDuplicates, wordsOf } from './variety.js';

/** Everything two splits share, each entry named; empty lists when they are apart. */
export interface Overlap {
  people: string[];
  texts: string[];
  concepts: string[];
  named: string[];
}

/** Jaccard similarity of word trigrams from which two texts count as the same one reworded. */
export const NEAR_DUPLICATE = 0.4;

export function overlapOf(a: Corpus, b: Corpus): Overlap {
  return {
    people: common(peopleOf(a), peopleOf(b)),
    texts: sharedTexts(a, b),
    concepts: common(conceptsOf(a), conceptsOf(b)),
    named: common(namedOf(a), namedOf(b)),
  };
}

/** Texts of one split that stand, word for word or reworded, in the other. O(texts sharing a trigram). */
export function sharedTexts(a: Corpus, b: Corpus): string[] {
  const mark = (side: string, corpus: Corpus) =>
    allTexts(corpus).map(({ place, text }) => ({ place: `${side} ${place}`, text }));
  return nearDuplicates([...mark('a', a), ...mark('b', b)], NEAR_DUPLICATE)
    .filter(([first, second]) => first.slice(0, 2) !== second.slice(0, 2))
    .map(([first, second]) => `${first} ~ ${second}`);
}

function peopleOf({ personas, friends }: Corpus): string[] {
  return [
    ...personas.map(({ name }) => name),
    ...friends.map(({ speakers }) => speakers.toSorted().join(' & ')),
  ];
}

function conceptsOf({ personas }: Corpus): string[] {
  return personas.flatMap(({ preferences }) => preferences.map(({ concept }) => concept));
}

function namedOf({ personas }: Corpus): string[] {
  return personas.flatMap(({ preferences }) => preferences.flatMap(({ named }) => named));
}

function common(a: readonly string[], b: readonly string[]): string[] {
  const first = new Set(a.map(normalised));
  return [...new Set(b.map(normalised))].filter((entry) => first.has(entry));
}

/** Case, punctuation and a leading article make no difference. */
function normalised(text: string): string {
  return wordsOf(text)
    .join(' ')
    .replace(/^(?:the|a|an|le|la|el|les|il) /, '');
}
