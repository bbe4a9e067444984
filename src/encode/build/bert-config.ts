// What a BERT-family config.json says about the shape of the network.

import { z } from 'zod';
import { OntomemError } from '../../errors.js';
import { readJson } from '../settings.js';

const upTo = (most: number) => z.number().int().positive().max(most);

/** Several times the largest BERT there is: a config.json from anywhere must not decide what is allocated. */
const MAX_LAYERS = 1024;
const MAX_WIDTH = 65_536;
const MAX_POSITIONS = 1 << 20;
const MAX_VOCABULARY = 1 << 24;
/** A shorter one leaves no room for a word between the special tokens. */
const LEAST_TOKENS = 4;

const configSchema = z.object({
  model_type: z.string().default('bert'),
  hidden_size: upTo(MAX_WIDTH),
  num_hidden_layers: upTo(MAX_LAYERS),
  num_attention_heads: upTo(MAX_WIDTH),
  intermediate_size: upTo(MAX_POSITIONS),
  vocab_size: upTo(MAX_VOCABULARY).optional(),
  max_position_embeddings: upTo(MAX_POSITIONS).default(512),
  layer_norm_eps: z.number().positive().default(1e-12),
  hidden_act: z.string().default('gelu'),
  position_embedding_type: z.string().default('absolute'),
  pad_token_id: z.number().int().nonnegative().max(MAX_POSITIONS).nullish(),
});

/** The feed-forward activations the graph builder knows. */
export type Activation = 'gelu' | 'gelu-tanh' | 'relu';

/** Transformers spells the tanh approximation in several ways. */
const activations: Readonly<Record<string, Activation>> = {
  gelu: 'gelu',
  gelu_new: 'gelu-tanh',
  gelu_fast: 'gelu-tanh',
  gelu_pytorch_tanh: 'gelu-tanh',
  relu: 'relu',
};

export interface BertConfig {
  hiddenSize: number;
  layers: number;
  heads: number;
  feedForwardSize: number;
  layerNormEpsilon: number;
  activation: Activation;
  /** Row of the position table that the first token takes: RoBERTa counts from its padding id + 1. */
  firstPosition: number;
  /** Longest token sequence, special tokens included. */
  maxTokens: number;
  /** Rows of the word table; undefined when the file does not say. */
  vocabularySize: number | undefined;
}

/** Families whose checkpoints have BERT's layers under BERT's tensor names. */
const families: Readonly<Record<string, { offsetPositions: boolean }>> = {
  bert: { offsetPositions: false },
  roberta: { offsetPositions: true },
  'xlm-roberta': { offsetPositions: true },
  camembert: { offsetPositions: true },
};

/**
 * Reads a config.json. @throws ENCODER_INVALID, naming the file and the key, for a network the graph builder
 * cannot write: another family, relative positions, an unknown activation, heads that do not divide the width.
 */
export async function readBertConfig(path: string): Promise<BertConfig> {
  const config = await parseConfig(path);
  const refuse = (problem: string): OntomemError =>
    new OntomemError('ENCODER_INVALID', { input: path, problem });

  const family = families[config.model_type];
  if (family === undefined) {
    throw refuse(`model_type "${config.model_type}" is none of ${Object.keys(families).join(', ')}`);
  }
  const activation = activations[config.hidden_act];
  if (activation === undefined) {
    throw refuse(`hidden_act "${config.hidden_act}" is none of ${Object.keys(activations).join(', ')}`);
  }
  if (config.position_embedding_type !== 'absolute') {
    throw refuse(`position_embedding_type "${config.position_embedding_type}" is not absolute`);
  }
  if (config.hidden_size % config.num_attention_heads !== 0) {
    throw refuse(`hidden_size ${config.hidden_size} is no multiple of ${config.num_attention_heads} heads`);
  }
  const firstPosition = family.offsetPositions ? (config.pad_token_id ?? 1) + 1 : 0;
  const maxTokens = config.max_position_embeddings - firstPosition;
  if (maxTokens < LEAST_TOKENS) {
    throw refuse(`max_position_embeddings leaves ${maxTokens} tokens after the padding id's place`);
  }
  return {
    hiddenSize: config.hidden_size,
    layers: config.num_hidden_layers,
    heads: config.num_attention_heads,
    feedForwardSize: config.intermediate_size,
    layerNormEpsilon: config.layer_norm_eps,
    activation,
    firstPosition,
    maxTokens,
    vocabularySize: config.vocab_size,
  };
}

async function parseConfig(path: string): Promise<z.infer<typeof configSchema>> {
  const config = await readJson(path, configSchema);
  if (config !== undefined) return config;
  throw new OntomemError('ENCODER_INVALID', { input: path, problem: 'is missing' });
}
