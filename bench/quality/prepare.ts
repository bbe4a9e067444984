// Gives a data set what the arms read: passages, vectors and terms.
import type { TextRole } from '../../src/contract/encoder.js';
import { passageOf, passageTerms } from '../../src/text/passage.js';
import { queryTerms } from '../../src/text/query-terms.js';
import { queryText as readQuery } from '../../src/text/query-text.js';
import type { PreparedConversation, PreparedQuery } from './arm.js';
import type { BenchConversation, BenchQuery, Dataset } from './dataset.js';

export type EncodeTexts = (texts: readonly string[], role: TextRole) => Promise<Float32Array>;

/** Tokens that every encoder measured here reads. */
const MAX_TOKENS = 512;

/** The words a query is searched with, as the product reads them. */
export function queryText({ text, context }: Pick<BenchQuery, 'text' | 'context'>): string {
  return readQuery({ query: text, context: context ?? [] }, { maxTokens: MAX_TOKENS });
}

/** Encodes every distinct text of a data set, so that one progress bar covers them all. */
export async function encodeDataset(dataset: Dataset, encode: EncodeTexts): Promise<void> {
  const passages = new Set(dataset.conversations.flatMap(({ turns }) => turns.map(passageOf)));
  const queries = new Set(
    dataset.conversations.flatMap((conversation) => conversation.queries.map(queryText)),
  );
  await encode([...passages], 'passage');
  await encode([...queries], 'query');
}

export interface Prepared {
  conversation: PreparedConversation;
  queries: PreparedQuery[];
}

/** O(turns x dimension) bytes. */
export async function prepareConversation(
  conversation: BenchConversation,
  dimension: number,
  encode: EncodeTexts,
): Promise<Prepared> {
  const passages = conversation.turns.map(passageOf);
  const texts = conversation.queries.map(queryText);
  const queryVectors = await encode(texts, 'query');
  return {
    conversation: {
      ...conversation,
      passages,
      vectors: await encode(passages, 'passage'),
      dimension,
      terms: conversation.turns.map(passageTerms),
    },
    queries: conversation.queries.map((query, position) => ({
      ...query,
      vector: queryVectors.subarray(position * dimension, (position + 1) * dimension),
      terms: queryTerms(texts[position] ?? ''),
    })),
  };
}
