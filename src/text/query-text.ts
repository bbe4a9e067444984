// What is read of a query: itself, behind as much of the turns just before it as the encoder can take in.
import { TUNED_CONTEXT } from './tuned.js';

/** A query with the turns before it, oldest first. */
export interface QueryWords {
  query: string;
  context: readonly string[];
}

/** A query of punctuation alone asks nothing. */
const MEANINGFUL = /[\p{L}\p{N}\p{Extended_Pictographic}]/u;

/** How much of the turns before a query is read: what fills the encoder's room drowns the query. */
export type ContextBounds = Readonly<typeof TUNED_CONTEXT>;

/** Tokens that a model puts around a text: two in BERT's family. */
const SPECIAL_TOKENS = 4;

/** Each cut aims this much below what the count before it allows, so that one or two are enough. */
const CUT_MARGIN = 0.95;

/** Behind a query of more characters a token of the room there is none for its context, and nothing to count. */
const LONG_QUERY = 8;

/** Longest word that a cut looks for the end of. */
const MAX_WORD = 40;

/** What reads the text: how many tokens it takes, and how many a text has where it can tell. */
export interface TextReader {
  maxTokens: number;
  countTokens?(text: string): number;
}

/** False for a query that asks nothing; 64 KB of punctuation take half a millisecond. */
export function isMeaningful(query: string): boolean {
  return MEANINGFUL.test(query);
}

/**
 * The query, whole, behind as much of the turns just before it as the reader has room for, the latest words
 * last: they say what 'and for Sunday?' is about. A reader cuts the end of what is too long, so room is kept
 * for the query first. It stays behind its context; the other way round is no better (`tune`, text forms).
 */
export function queryText(
  { query, context }: QueryWords,
  reader: TextReader,
  { contextTurns, contextCharacters }: ContextBounds = TUNED_CONTEXT,
): string {
  const room = reader.maxTokens - SPECIAL_TOKENS;
  if (query.length > room * LONG_QUERY) return query;
  let before = endOf(context.slice(-contextTurns).join(' '), contextCharacters);
  while (before !== '') {
    const text = `${before} ${query}`;
    // No tokenizer makes more of a text than it has bytes: most texts need no count.
    if (Buffer.byteLength(text) <= room) return text;
    const tokens = tokensOf(text, reader);
    if (tokens <= room) return text;
    // What the query takes cannot be cut, and each round must take something.
    const own = tokensOf(query, reader);
    const share = own >= room ? 0 : ((room - own) / (tokens - own)) * CUT_MARGIN;
    before = endOf(before, Math.min(before.length - 1, Math.floor(before.length * share)));
  }
  return query;
}

/** Tokens of a text, or as many as it has bytes. */
function tokensOf(text: string, reader: TextReader): number {
  return reader.countTokens?.(text) ?? Buffer.byteLength(text);
}

/** The last words of a text, at most so many characters. */
function endOf(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const end = text.slice(text.length - characters);
  // A word that was cut says something else; where there are no spaces characters are words.
  const space = end.search(/\s/u);
  return (space >= 0 && space < MAX_WORD ? end.slice(space + 1) : end).toWellFormed();
}
