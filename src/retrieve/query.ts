// A request with what is read of it: the text that is encoded and the terms that are looked up.
import type { Encoder } from '../contract/encoder.js';
import { queryTerms } from '../text/query-terms.js';
import { isMeaningful, queryText, type TextReader } from '../text/query-text.js';
import type { TermVector } from '../text/terms.js';
import type { Asked } from './request.js';

export interface Query {
  asked: Asked;
  text: string;
  terms: TermVector;
  /** False for one that asks nothing: it is not encoded. */
  isMeaningful: boolean;
}

export function toQuery(asked: Asked, reader: TextReader): Query {
  const text = queryText(asked, reader);
  return { asked, text, terms: queryTerms(text), isMeaningful: isMeaningful(asked.query) };
}

/** The room an encoder has for a query behind its prefix. */
export function readerOf(encoder: Encoder): TextReader {
  const { maxTokens, queryPrefix } = encoder.identity;
  return {
    maxTokens: maxTokens - Buffer.byteLength(queryPrefix),
    countTokens: (text) => encoder.countTokens?.(text) ?? Buffer.byteLength(text),
  };
}
