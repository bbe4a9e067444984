// Text -> lexical terms: words of any script, stemmed by script, as 64-bit hashes with counts.
import snowball from 'snowball-stemmers';
import { atOnce, type Slices } from '../breather.js';
import { pieces } from './pieces.js';

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
  for (const piece of pieces(text)) yield* termsOfPiece(piece);
}

function* termsOfPiece(piece: string): Generator<string> {
  for (const [word] of piece.normalize('NFKC').toLowerCase().matchAll(WORD)) {
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
  const terms = new TermCounts();
  atOnce(terms.read(text));
  return terms.vector();
}

/** Terms counted as texts are read, one after the other, until the bounds are reached. */
export class TermCounts {
  readonly #counts = new Map<string, number>();
  readonly #bounds: TermBounds;
  #length = 0;

  constructor(bounds: TermBounds = UNBOUNDED) {
    this.#bounds = bounds;
  }

  /** Counts the terms of a text and shows each to `see`; a slice is a piece of it. O(text). */
  *read(text: string, see?: (term: string) => void): Slices<void> {
    for (const piece of pieces(text)) {
      for (const term of termsOfPiece(piece)) {
        if (!this.#count(term)) return;
        see?.(term);
      }
      yield;
    }
  }

  /** Hashes; counts saturate at 65,535. */
  vector(): TermVector {
    const hashes = new Uint32Array(this.#counts.size * 2);
    const counts = new Uint16Array(this.#counts.size);
    let position = 0;
    for (const [term, count] of this.#counts) {
      hashes[2 * position] = hash32(term, 0x811c9dc5);
      hashes[2 * position + 1] = hash32(term, 0x9e3779b9);
      counts[position++] = Math.min(count, 0xffff);
    }
    return { hashes, counts, length: this.#length };
  }

  /** False when it is one more than the bounds allow. */
  #count(term: string): boolean {
    const known = this.#counts.get(term) ?? 0;
    const { distinct, length } = this.#bounds;
    if (this.#length >= length || (known === 0 && this.#counts.size >= distinct)) return false;
    this.#counts.set(term, known + 1);
    this.#length++;
    return true;
  }
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
