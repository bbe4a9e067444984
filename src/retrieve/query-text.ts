// What is read of a query: its own words behind the turns just before it.
import type { Asked } from './request.js';

/** A query of punctuation alone asks nothing. */
const MEANINGFUL = /[\p{L}\p{N}\p{Extended_Pictographic}]/u;

/** How many of the turns before a query are read with it; older ones drown it. */
const CONTEXT_TURNS = 2;

/** False for a query that asks nothing. */
export function isMeaningful({ query }: Pick<Asked, 'query'>): boolean {
  return MEANINGFUL.test(query);
}

/** The query behind the turns just before it, which say what 'and for Sunday?' is about. */
export function queryText({ query, context }: Pick<Asked, 'query' | 'context'>): string {
  return [...context.slice(-CONTEXT_TURNS), query].join(' ');
}
