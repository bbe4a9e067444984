// A request with what is read of it: the text that is encoded and the terms that are looked up.

import { breathe, inSlices } from '../breather.js';
import type { Encoder } from '../contract/encoder.js';
import { readQueryTerms } from '../text/query-terms.js';
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

/** Reads a request in slices; `dueAt` as `breathe` takes it. */
export async function toQuery(asked: Asked, reader: TextReader, dueAt: number): Promise<Query> {
  const text = queryText(asked, reader);
  await breathe(dueAt);
  const terms = await inSlices(readQueryTerms(text), dueAt);
  return { asked, text, terms, isMeaningful: isMeaningful(asked.query) };
}

/** The room an encoder has for a query behind its prefix. */
export function readerOf(encoder: Encoder): TextReader {
  const { maxTokens, queryPrefix } = encoder.identity;
  return {
    maxTokens: maxTokens - Buffer.byteLength(queryPrefix),
    countTokens: (text) => encoder.countTokens?.(text) ?? Buffer.byteLength(text),
  };
}
