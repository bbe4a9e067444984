// Gives a data set what the arms read: passages, vectors and terms.
import type { Encoder, TextRole } from '../../src/contract/encoder.js';
import type { Turn } from '../../src/contract/turn.js';
import { readerOf } from '../../src/retrieve/query.js';
import { passageOf, passageTerms } from '../../src/text/passage.js';
import { queryTerms } from '../../src/text/query-terms.js';
import { type ContextBounds, queryText } from '../../src/text/query-text.js';
import type { TermVector } from '../../src/text/terms.js';
import type { ArmServices, PreparedConversation, PreparedQuery } from './arm.js';
import type { BenchConversation, BenchQuery, Dataset } from './dataset.js';

export type EncodeTexts = (texts: readonly string[], role: TextRole) => Promise<Float32Array>;

/** What a query is made of. */
type Asked = Pick<BenchQuery, 'text' | 'context'>;

/** The words a query is searched with, as the recall reads them with this encoder, or within other bounds. */
export function wordsOf({ text, context = [] }: Asked, encoder: Encoder, bounds?: ContextBounds): string {
  return queryText({ query: text, context }, readerOf(encoder), bounds);
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

/** What is read of turns and queries. */
export interface TextForms {
  passage(turn: Turn): string;
  passageTerms(turn: Turn): TermVector;
  query(query: Asked, encoder: Encoder): string;
  queryTerms(text: string): TermVector;
}

const SERVED_FORMS: TextForms = { passage: passageOf, passageTerms, query: wordsOf, queryTerms };

/** O(turns x dimension) bytes. `forms` are the product's but where they are being chosen. */
export async function prepareConversation(
  conversation: BenchConversation,
  { encoder, encodeCached }: Preparing,
  forms: Partial<TextForms> = {},
): Promise<Prepared> {
  const form = { ...SERVED_FORMS, ...forms };
  const { dimension } = encoder.identity;
  const passages = conversation.turns.map(form.passage);
  const words = conversation.queries.map((query) => form.query(query, encoder));
  const queryVectors = await encodeCached(words, 'query');
  return {
    conversation: {
      ...conversation,
      passages,
      vectors: await encodeCached(passages, 'passage'),
      dimension,
      terms: conversation.turns.map(form.passageTerms),
    },
    queries: conversation.queries.map((query, position) => {
      const read = words[position] ?? '';
      const vector = queryVectors.subarray(position * dimension, (position + 1) * dimension);
      return { ...query, words: read, vector, terms: form.queryTerms(read) };
    }),
  };
}
