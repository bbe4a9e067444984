// The baselines: those that need nothing but the encoder, and those that need something of the user's.
import type { Arm } from '../arm.js';
import { crossEncoderArm } from './cross-encoder-rerank.js';
import { queryExpansion } from './feedback-expansion.js';
import { hipporag } from './hipporag.js';
import { rankFusion, scoreMix } from './hybrid.js';
import { lateInteraction } from './late-interaction.js';
import { llmRewriteArm } from './llm-rewrite.js';
import { longContext } from './long-context.js';
import { memorag } from './memorag.js';
import { queryRewrite } from './query-rewrite.js';
import { summaryMemory } from './summary-memory.js';

/** In the order of the paper's table, hybrids first. */
export const baselineArms: readonly Arm[] = [
  rankFusion,
  scoreMix,
  longContext,
  summaryMemory,
  lateInteraction,
  queryExpansion,
  queryRewrite,
  hipporag,
  memorag,
];

export interface OptionalParts {
  /** Folder of a cross-encoder. */
  reranker?: string | undefined;
  /** Base URL of an OpenAI-compatible server, and the model to ask for. */
  llm?: string | undefined;
  llmModel?: string | undefined;
}

/**
 * The arms whose parts are given, and a sentence for each that is left out. Nothing is opened yet. A server that
 * wants a key gets the one in ONTOMEM_LLM_KEY.
 */
export function optionalArms({ reranker, llm, llmModel }: OptionalParts): { arms: Arm[]; skipped: string[] } {
  const arms: Arm[] = [];
  const skipped: string[] = [];
  if (reranker !== undefined) arms.push(crossEncoderArm(reranker));
  else skipped.push('cross-encoder skipped: pass --reranker FOLDER (ONNX graph and tokenizer.json).');
  if (llm !== undefined)
    arms.push(llmRewriteArm({ url: llm, model: llmModel, key: process.env.ONTOMEM_LLM_KEY }));
  else skipped.push('query rewrite (llm) skipped: pass --llm URL of an OpenAI-compatible server.');
  return { arms, skipped };
}
