// Text -> lexical terms: words of any script, stemmed by script, as 64-bit hashes with counts.
import snowball from 'snowball-stemmers';

/** The lexical side of one text: distinct terms, how often each occurs, and the length in terms. */
export interface TermVector {
  /** Two 32-bit words (low, high) a term: the memory of a little-endian uint64 array. */
  hashes: Uint32Array;
  counts: Uint16Array;
  length: number;
}

const WORD = /[\p{L}\p{N}\p{M}]+(?:['’][\p{L}\p{M}]+)*/gu;
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const LATIN = /^[\p{Script=Latin}'’\p{M}]+$/u;
const CYRILLIC = /^\p{Script=Cyrillic}+$/u;
const ARABIC = /^\p{Script=Arabic}+$/u;
/** Characters of words and stems kept; a word of a hostile text may be 64 KB long. */
const STEM_CACHE_CHARACTERS = 1 << 20;
/** Longer words are no words of a language; they are looked up as they are. */
const MAX_STEMMED_CHARACTERS = 64;

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });
const english = snowball.newStemmer('english');
const russian = snowball.newStemmer('russian');
const arabic = snowball.newStemmer('arabic');
const stems = new Map<string, string>();
let cachedCharacters = 0;

/**
 * The terms of a text in order, case-folded (NFKC) and stemmed: Latin script by the English Snowball
 * stemmer, Cyrillic by the Russian, Arabic by the Arabic one. Scripts without spaces give their
 * dictionary words and character pairs, so that a query cut elsewhere still meets them. No word is
 * dropped: frequent ones weigh little by their inverse document frequency, rare names stay.
 */
export function termsOf(text: string): string[] {
  return [...eachTerm(text)];
}

function* eachTerm(text: string): Generator<string> {
  for (const [word] of text.normalize('NFKC').toLowerCase().matchAll(WORD)) {
    if (UNSPACED.test(word)) yield* unspacedTerms(word);
    else yield stem(word);
  }
}

/** Ends a reading of terms early. */
export interface TermBounds {
  /** Distinct terms kept. */
  distinct: number;
  /** Terms read in all. */
  length: number;
}

const UNBOUNDED: TermBounds = { distinct: Number.POSITIVE_INFINITY, length: Number.POSITIVE_INFINITY };

/** Hashes and counts the terms of a text; counts saturate at 65,535. O(length). */
export function termVector(text: string): TermVector {
  return boundedTermVector(text, UNBOUNDED);
}

/** The term vector of as much of a text as its bounds allow. O(what is read). */
export function boundedTermVector(text: string, bounds: TermBounds): TermVector {
  const counts = new Map<string, number>();
  let length = 0;
  for (const term of eachTerm(text)) {
    const known = counts.get(term) ?? 0;
    if (length >= bounds.length || (known === 0 && counts.size >= bounds.distinct)) break;
    counts.set(term, known + 1);
    length++;
  }
  const hashes = new Uint32Array(counts.size * 2);
  const numbers = new Uint16Array(counts.size);
  let position = 0;
  for (const [term, count] of counts) {
    hashes[2 * position] = hash32(term, 0x811c9dc5);
    hashes[2 * position + 1] = hash32(term, 0x9e3779b9);
    numbers[position++] = Math.min(count, 0xffff);
  }
  return { hashes, counts: numbers, length };
}

function* unspacedTerms(run: string): Generator<string> {
  for (const { segment, isWordLike } of segmenter.segment(run)) if (isWordLike) yield segment;
  let before: string | undefined;
  for (const character of run) {
    if (before !== undefined) yield `${before}${character}`;
    before = character;
  }
}

function stem(word: string): string {
  const known = stems.get(word);
  if (known !== undefined) return known;
  const bare = word.replaceAll('’', "'").replace(/'s$/, '');
  if (bare.length > MAX_STEMMED_CHARACTERS) return bare;
  const stemmed = LATIN.test(bare)
    ? english.stem(bare)
    : CYRILLIC.test(bare)
      ? russian.stem(bare)
      : ARABIC.test(bare)
        ? arabic.stem(bare)
        : bare;
  cachedCharacters += word.length + stemmed.length;
  if (cachedCharacters > STEM_CACHE_CHARACTERS) {
    stems.clear();
    cachedCharacters = word.length + stemmed.length;
  }
  stems.set(word, stemmed);
  return stemmed;
}

/** What the cache of stems holds, in characters; for tests. */
export function stemCacheCharacters(): number {
  return cachedCharacters;
}

/** FNV-1a over UTF-16 units with a murmur finaliser; two seeds make 64 bits. */
function hash32(text: string, seed: number): number {
  let hash = seed;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
