// What a retrieval method under measurement is: it prepares a conversation, then ranks its turns.
import type { Encoder } from '../../src/contract/encoder.js';
import type { TermVector } from '../../src/text/terms.js';
import type { BenchConversation, BenchQuery } from './dataset.js';
import type { Engine } from './engine.js';

/** A conversation with everything every arm may read; all arms see the same candidates. */
export interface PreparedConversation extends BenchConversation {
  /** 'speaker: text [caption]' of each turn. */
  passages: readonly string[];
  /** turns x dimension, unit rows. */
  vectors: Float32Array;
  dimension: number;
  /** Terms of each passage with its date words. */
  terms: readonly TermVector[];
}

export interface PreparedQuery extends BenchQuery {
  /** The query with its context before it, as the recall reads it: every method gets the same words. */
  words: string;
  /** Of these words, unit norm. */
  vector: Float32Array;
  /** Of the same words. */
  terms: TermVector;
}

/** What one ranking cost, for the cost model in cost.ts; the query's own encoding is not counted here. */
export interface RankingCost {
  /** Tokens that went through the encoder at query time, the query's own aside, and in how many passes. */
  encoderTokens?: number;
  encoderPasses?: number;
  /** Query-passage pairs times their tokens that went through a cross-encoder. */
  crossEncoderTokens?: number;
  /** Vectors compared with one query vector. */
  candidatesScored: number;
  /** Tokens put into a language model's prompt; by default those of the turns up to the cut. */
  promptTokens?: number;
  /** What the method keeps of the conversation between queries; by default its turns' vectors. */
  bytesAtRest?: number;
}

export interface Ranking {
  /** Turn ids, best first; at least 10 where the conversation has them. */
  ids: readonly string[];
  /** How many of them the method would hand on: 10 when it has no cut of its own, 0 when it abstains. */
  cut?: number;
  cost: RankingCost;
}

/** Shared services; an encoder call at preparation is not timed, one inside `rank` is. */
export interface ArmServices {
  encoder: Encoder;
  /** ontomem with the conversations that are measured. */
  engine: Engine;
  /** Encodes through the cache on disk. Rows are unit vectors. */
  encodeCached(texts: readonly string[], role: 'query' | 'passage'): Promise<Float32Array>;
}

/** Ranks one query; the runner times it. */
export type RankQuery = (query: PreparedQuery) => Ranking | Promise<Ranking>;

export interface Arm {
  name: string;
  /** The paper, system or equation the method comes from. */
  source: string;
  /** It never reads the query's vector: the query's encoding counts neither in its time nor in its cost. */
  lexicalOnly?: boolean;
  /** It never reads the question: what it finds, the measure gives away. */
  blind?: boolean;
  /** Called once a conversation, untimed: whatever the method builds at ingest. */
  prepare(conversation: PreparedConversation, services: ArmServices): RankQuery | Promise<RankQuery>;
}

/** The query's own encoding counts in its time and cost only then. */
export function readsVector({ lexicalOnly = false, blind = false }: Arm): boolean {
  return !lexicalOnly && !blind;
}
