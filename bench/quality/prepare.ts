// Gives a data set what the arms read: passages, vectors and terms.
import type { TextRole } from '../../src/contract/encoder.js';
import type { Turn } from '../../src/contract/turn.js';
import { passageOf, passageTerms } from '../../src/text/passage.js';
import { queryTerms } from '../../src/text/query-terms.js';
import { type ContextBounds, queryText as readQuery } from '../../src/text/query-text.js';
import type { TermVector } from '../../src/text/terms.js';
import { TUNED_CONTEXT } from '../../src/text/tuned.js';
import type { PreparedConversation, PreparedQuery } from './arm.js';
import type { BenchConversation, BenchQuery, Dataset } from './dataset.js';

export type EncodeTexts = (texts: readonly string[], role: TextRole) => Promise<Float32Array>;

/** Tokens that every encoder measured here reads. */
const MAX_TOKENS = 512;

/** The words a query is searched with, as the product reads them. */
export function queryText(query: Pick<BenchQuery, 'text' | 'context'>): string {
  return boundedQueryText(query, TUNED_CONTEXT);
}

/** The same with other bounds for what is read of its context. */
export function boundedQueryText(
  { text, context }: Pick<BenchQuery, 'text' | 'context'>,
  bounds: ContextBounds,
): string {
  return readQuery({ query: text, context: context ?? [] }, { maxTokens: MAX_TOKENS }, bounds);
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

/** What is read of turns and queries. */
export interface TextForms {
  passage(turn: Turn): string;
  passageTerms(turn: Turn): TermVector;
  query(query: Pick<BenchQuery, 'text' | 'context'>): string;
  queryTerms(text: string): TermVector;
}

const SERVED_FORMS: TextForms = { passage: passageOf, passageTerms, query: queryText, queryTerms };

/** O(turns x dimension) bytes. `forms` are the product's but where they are being chosen. */
export async function prepareConversation(
  conversation: BenchConversation,
  dimension: number,
  encode: EncodeTexts,
  forms: Partial<TextForms> = {},
): Promise<Prepared> {
  const form = { ...SERVED_FORMS, ...forms };
  const passages = conversation.turns.map(form.passage);
  const texts = conversation.queries.map(form.query);
  const queryVectors = await encode(texts, 'query');
  return {
    conversation: {
      ...conversation,
      passages,
      vectors: await encode(passages, 'passage'),
      dimension,
      terms: conversation.turns.map(form.passageTerms),
    },
    queries: conversation.queries.map((query, position) => ({
      ...query,
      vector: queryVectors.subarray(position * dimension, (position + 1) * dimension),
      terms: form.queryTerms(texts[position] ?? ''),
    })),
  };
}
