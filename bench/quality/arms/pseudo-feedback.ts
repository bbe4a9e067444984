// Pseudo-relevance feedback: what a first search found rewrites the query's terms and its vector.
import type { PreparedConversation } from '../arm.js';
import { termCounts } from './lexicon.js';
import { rowOf, unitSum } from './scoring.js';

export interface FeedbackSettings {
  /** Turns taken as relevant. */
  turns: number;
  /** Terms added. */
  terms: number;
  /** Weight of the query's own terms against 1 - this for the added ones (RM3's lambda). */
  ownTerms: number;
  /** Weight of the turns' centroid against 1 for the query's vector (Rocchio's beta). */
  centroid: number;
}

/** A turn that was taken as relevant, with its share of the belief; shares sum to 1. */
export interface Believed {
  position: number;
  share: number;
}

/** Softmax of standardised first-stage scores. */
export function believe(scores: Float32Array, found: readonly number[]): Believed[] {
  const weights = found.map((position) => Math.exp(scores[position] ?? 0));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return found.map((position, i) => ({ position, share: (weights[i] ?? 0) / total }));
}

/**
 * RM3 (Abdul-Jaleel et al., TREC 2004): the query's term distribution, mixed with the terms that the believed
 * turns use most, each turn by its share. Weights sum to the query's length, so that BM25 keeps its scale.
 * `specificity` weighs a term, since no word is dropped from the index. O(terms of the turns).
 */
export function expandTerms(
  own: ReadonlyMap<number, number>,
  conversation: PreparedConversation,
  believed: readonly Believed[],
  specificity: (key: number) => number,
  { terms, ownTerms }: FeedbackSettings,
): Map<number, number> {
  const relevance = new Map<number, number>();
  for (const { position, share } of believed) {
    const vector = conversation.terms[position];
    if (vector === undefined) continue;
    for (const [key, count] of termCounts(vector))
      relevance.set(key, (relevance.get(key) ?? 0) + ((share * count) / vector.length) * specificity(key));
  }
  const added = [...relevance].sort(([a, x], [b, y]) => y - x || a - b).slice(0, terms);
  const mass = added.reduce((sum, [, weight]) => sum + weight, 0);
  const length = [...own.values()].reduce((sum, count) => sum + count, 0);
  const expanded = new Map([...own].map(([key, count]) => [key, ownTerms * count]));
  for (const [key, weight] of added)
    expanded.set(key, (expanded.get(key) ?? 0) + ((1 - ownTerms) * length * weight) / mass);
  return expanded;
}

/** Rocchio (1971) without negatives: the query moved towards the believed turns. O(turns x dimension). */
export function moveVector(
  own: Float32Array,
  { vectors, dimension }: PreparedConversation,
  believed: readonly Believed[],
  { centroid }: FeedbackSettings,
): Float32Array {
  const turns = believed.map(
    ({ position, share }) => [centroid * share, rowOf(vectors, position, dimension)] as const,
  );
  return unitSum([1, own], ...turns);
}
