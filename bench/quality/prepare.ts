// Gives a data set what the arms read: passages, vectors and terms.
import type { Encoder, TextRole } from '../../src/contract/encoder.js';
import { readerOf } from '../../src/retrieve/query.js';
import { passageOf, passageTerms } from '../../src/text/passage.js';
import { queryTerms } from '../../src/text/query-terms.js';
import { queryText } from '../../src/text/query-text.js';
import type { ArmServices, PreparedConversation, PreparedQuery } from './arm.js';
import type { BenchConversation, BenchQuery, Dataset } from './dataset.js';

export type EncodeTexts = (texts: readonly string[], role: TextRole) => Promise<Float32Array>;

/** The words a query is searched with, as the recall reads them with this encoder. */
export function wordsOf(
  { text, context = [] }: Pick<BenchQuery, 'text' | 'context'>,
  encoder: Encoder,
): string {
  return queryText({ query: text, context }, readerOf(encoder));
}

/** What preparing takes of an arm's services. */
export type Preparing = Pick<ArmServices, 'encoder' | 'encodeCached'>;

/** Encodes every distinct text of a data set, so that one progress bar covers them all. */
export async function encodeDataset(dataset: Dataset, { encoder, encodeCached }: Preparing): Promise<void> {
  const passages = new Set(dataset.conversations.flatMap(({ turns }) => turns.map(passageOf)));
  const queries = new Set(
    dataset.conversations.flatMap((conversation) =>
      conversation.queries.map((query) => wordsOf(query, encoder)),
    ),
  );
  await encodeCached([...passages], 'passage');
  await encodeCached([...queries], 'query');
}

export interface Prepared {
  conversation: PreparedConversation;
  queries: PreparedQuery[];
}

/** O(turns x dimension) bytes. */
export async function prepareConversation(
  conversation: BenchConversation,
  { encoder, encodeCached }: Preparing,
): Promise<Prepared> {
  const { dimension } = encoder.identity;
  const passages = conversation.turns.map(passageOf);
  const words = conversation.queries.map((query) => wordsOf(query, encoder));
  const queryVectors = await encodeCached(words, 'query');
  return {
    conversation: {
      ...conversation,
      passages,
      vectors: await encodeCached(passages, 'passage'),
      dimension,
      terms: conversation.turns.map(passageTerms),
    },
    queries: conversation.queries.map((query, position) => {
      const read = words[position] ?? '';
      const vector = queryVectors.subarray(position * dimension, (position + 1) * dimension);
      return { ...query, words: read, vector, terms: queryTerms(read) };
    }),
  };
}
