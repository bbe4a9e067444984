// MemoRAG-like: a global memory of the conversation drafts clues, and the clues search the turns.
import type { Arm, PreparedConversation, PreparedQuery } from '../arm.js';
import { TUNED_BASELINES } from '../tuned.js';
import { Candidates } from './candidates.js';
import { Keyness } from './keyness.js';
import { type Lexicon, termCounts } from './lexicon.js';
import { highest, rowOf, standardised, unitSum, weightedSum } from './scoring.js';

export interface MemoragSettings {
  /** Share of the turns that the memory keeps: those that tell most in the whole conversation. */
  share: number;
  /** Statements of the memory that a draft is made of. */
  statements: number;
  /** Terms of a draft, by weight. */
  terms: number;
  /** Weights of the three searches: the query's vector, the drafts' vectors, the words of query and clues. */
  queryWeight: number;
  clueWeight: number;
  termWeight: number;
}

const SETTINGS: MemoragSettings = TUNED_BASELINES.memorag;
/** A clue's vector leans on the query this much, so that a wrong draft does not lead away. */
const QUERY_IN_CLUE = 1;
/** Weight of a clue's words beside 1 for the query's own. */
const CLUE_TERM_WEIGHT = 0.3;

/**
 * MemoRAG (Qian et al., 'MemoRAG: Boosting Long Context Processing with Global Memory-Enhanced Retrieval
 * Augmentation', WWW 2025) compresses the whole text into a light model's memory, which drafts answer clues
 * that a retriever then looks for. Here the memory is extractive and the draft deterministic: the statements
 * nearest to the query and their most specific words. What a trained memory model would infer beyond the
 * wording is missing.
 */
export function memoragArm(settings: MemoragSettings = SETTINGS): Arm {
  return {
    name: 'memorag-like',
    source: 'After MemoRAG (Qian et al., WWW 2025), with an extractive memory and deterministic clues',
    prepare(conversation) {
      const candidates = new Candidates(conversation);
      const memory = globalMemory(conversation, settings.share);
      return (query) => {
        const visible = candidates.visible(query);
        const cosines = candidates.dense(query.vector);
        const seen = new Set(visible);
        const draft = highest(
          cosines,
          memory.filter((position) => seen.has(position)),
          settings.statements,
        );
        // A search that counts for nothing is not made.
        const searched = settings.clueWeight > 0 ? draft : [];
        const clues = searched.map((position) => clueVector(conversation, query, position));
        const views = [
          [settings.queryWeight, cosines],
          [
            settings.clueWeight,
            bestOf(
              clues.map((clue) => candidates.dense(clue)),
              cosines,
            ),
          ],
          [
            settings.termWeight,
            candidates.lexical(clueTerms(conversation, query, draft, settings.terms, candidates.lexicon)),
          ],
        ] as const;
        const parts = views.map(([weight, scores]) => [weight, standardised(scores, visible)] as const);
        return candidates.ranking(weightedSum(...parts), visible, {
          candidatesScored: conversation.turns.length * (1 + clues.length),
        });
      };
    },
  };
}

export const memorag = memoragArm();

/** Positions of the turns that tell most. O(terms). */
export function globalMemory(conversation: PreparedConversation, share: number): number[] {
  const keyness = new Keyness(conversation);
  const telling = Float32Array.from(conversation.turns, ({ text }) => keyness.of(text));
  return highest(telling, [...telling.keys()], Math.ceil(share * telling.length));
}

function clueVector(
  { vectors, dimension }: PreparedConversation,
  query: PreparedQuery,
  position: number,
): Float32Array {
  return unitSum([QUERY_IN_CLUE, query.vector], [1, rowOf(vectors, position, dimension)]);
}

/** The query's terms, and the `count` most specific terms of the drafted statements. */
function clueTerms(
  conversation: PreparedConversation,
  query: PreparedQuery,
  draft: readonly number[],
  count: number,
  lexicon: Lexicon,
): Map<number, number> {
  const salience = new Map<number, number>();
  for (const position of draft) {
    const terms = conversation.terms[position];
    if (terms === undefined) continue;
    for (const key of termCounts(terms).keys())
      salience.set(key, (salience.get(key) ?? 0) + lexicon.inverseFrequency(key));
  }
  const clues = [...salience].sort(([a, x], [b, y]) => y - x || a - b).slice(0, count);
  const terms = termCounts(query.terms);
  for (const [key] of clues) terms.set(key, (terms.get(key) ?? 0) + CLUE_TERM_WEIGHT);
  return terms;
}

function bestOf(lists: readonly Float32Array[], fallback: Float32Array): Float32Array {
  const [first = fallback, ...rest] = lists;
  return first.map((value, i) => Math.max(value, ...rest.map((list) => list[i] ?? 0)));
}
