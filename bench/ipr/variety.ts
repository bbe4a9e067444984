// How varied authored texts are: repeated windows, distinct openings, near-duplicates.

/** A text with where it comes from, for messages. */
export interface NamedText {
  place: string;
  text: string;
}

const WINDOW_WORDS = 5;
const OPENING_WORDS = 3;

export function wordsOf(text: string): string[] {
  return (
    text
      .toLowerCase()
      .replaceAll('’', "'")
      .match(/[\p{L}\p{N}]+(?:'[\p{L}]+)?/gu) ?? []
  );
}

/** Five-word windows that occur in more than `limit` texts, with the places. O(words). */
export function repeatedWindows(
  texts: readonly NamedText[],
  limit: number,
): Array<{ window: string; places: string[] }> {
  const places = new Map<string, string[]>();
  for (const { place, text } of texts) {
    for (const window of new Set(sequences(wordsOf(text), WINDOW_WORDS))) append(places, window, place);
  }
  return [...places]
    .filter(([, found]) => found.length > limit)
    .map(([window, found]) => ({ window, places: found }));
}

/** Share of the texts' first three words that are distinct. */
export function distinctOpenings(texts: readonly NamedText[]): number {
  const openings = new Set(texts.map(({ text }) => wordsOf(text).slice(0, OPENING_WORDS).join(' ')));
  return openings.size / texts.length;
}

/** Pairs of texts whose word trigrams have a Jaccard similarity of at least `limit`. O(texts sharing a trigram). */
export function nearDuplicates(texts: readonly NamedText[], limit: number): Array<[string, string]> {
  const trigrams = texts.map(({ text }) => trigramsOf(wordsOf(text)));
  const holders = new Map<string, number[]>();
  const pairs: Array<[string, string]> = [];
  for (const [position, own] of trigrams.entries()) {
    const shared = new Map<number, number>();
    for (const trigram of own) {
      for (const earlier of holders.get(trigram) ?? []) shared.set(earlier, (shared.get(earlier) ?? 0) + 1);
      append(holders, trigram, position);
    }
    for (const [earlier, count] of shared) {
      const union = own.size + (trigrams[earlier]?.size ?? 0) - count;
      if (count / union >= limit) pairs.push([texts[earlier]?.place ?? '', texts[position]?.place ?? '']);
    }
  }
  return pairs;
}

/** A text of fewer than three words is one piece. */
function trigramsOf(words: readonly string[]): Set<string> {
  return new Set(words.length < 3 ? [words.join(' ')] : sequences(words, 3));
}

function sequences(words: readonly string[], length: number): string[] {
  return Array.from({ length: Math.max(0, words.length - length + 1) }, (_, start) =>
    words.slice(start, start + length).join(' '),
  );
}

function append<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
