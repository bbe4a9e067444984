// What one answered query costs: encoder work, candidates scored, and tokens handed to a language model.
import type { EncoderIdentity } from '../../src/contract/encoder.js';
import type { RankingCost } from './arm.js';

/**
 * US dollars for a million input tokens of a small hosted language model (list price of gpt-4o-mini,
 * 2024-07). What a method puts into the prompt dominates its cost, as in the paper: 73 turns instead of 10
 * are 7.3 times the price, its 'long context' row says 7.24.
 */
const PROMPT_USD_PER_MILLION_TOKENS = 0.15;
/** US dollars for an hour of one virtual core (on-demand compute instances, 2024). */
const CORE_USD_PER_HOUR = 0.045;
/** Sustained float32 operations a second of one core in matrix products and scans. */
const OPERATIONS_PER_SECOND = 25e9;
const USD_PER_OPERATION = CORE_USD_PER_HOUR / 3600 / OPERATIONS_PER_SECOND;

/** Characters a token: English prose in sub-word vocabularies. */
const CHARACTERS_PER_TOKEN = 4;
/** [CLS] and [SEP]. */
const SPECIAL_TOKENS = 2;
/** ms-marco-MiniLM-L-12: layers and width of the reranker the paper's class of method uses. */
const CROSS_ENCODER = { layers: 12, width: 384 };
/** Depth of an encoder whose name does not say it. */
const USUAL_LAYERS = 12;

/** An estimate; the same for every method. */
export function tokensOf(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN) + SPECIAL_TOKENS;
}

/** Multiply-adds of a BERT layer are 12 d^2 a token (attention's own share is under 2% at these lengths), two operations each. */
function operationsPerToken(layers: number, width: number): number {
  return 2 * layers * 12 * width * width;
}

/** 'all-MiniLM-L6-v2' has 6 layers; a name without that is taken to have 12. */
function layersOf(encoder: EncoderIdentity): number {
  return Number(/-L-?(\d+)/.exec(encoder.name)?.[1] ?? USUAL_LAYERS);
}

/** US dollars of one query; `promptTokens` are those of the evidence handed on. */
export function queryCost(ranking: RankingCost, promptTokens: number, encoder: EncoderIdentity): number {
  const operations =
    (ranking.encoderTokens ?? 0) * operationsPerToken(layersOf(encoder), encoder.dimension) +
    (ranking.crossEncoderTokens ?? 0) * operationsPerToken(CROSS_ENCODER.layers, CROSS_ENCODER.width) +
    ranking.candidatesScored * 2 * encoder.dimension;
  return operations * USD_PER_OPERATION + (promptTokens * PROMPT_USD_PER_MILLION_TOKENS) / 1e6;
}
