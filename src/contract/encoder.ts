// What an encoder is: text in, unit vectors (and token states) out.

/** How token states become one vector. */
export type Pooling = 'mean' | 'cls';

/**
 * All that changes an encoder's vectors: two encoders that agree in everything but the name give the same
 * ones. A store remembers it, and whatever was trained for an encoder is matched by it.
 */
export interface EncoderIdentity {
  /** For people. */
  name: string;
  /** SHA-256 of the weights file, lower-case hex; of an encoder elsewhere any text that changes with it. */
  sha256: string;
  /** The same of what stands beside the weights: the tokenizer's files and the shape of the network. */
  configSha256: string;
  dimension: number;
  pooling: Pooling;
  queryPrefix: string;
  passagePrefix: string;
  /** Longest token sequence, special tokens included; what is longer is cut. */
  maxTokens: number;
  /** What it computes in: 'f32' for the graphs built here, 'model' where an ONNX file decides. */
  precision: string;
}

/** True when both give the same vectors; the name is for people only. */
export function sameEncoder(a: EncoderIdentity, b: EncoderIdentity): boolean {
  return (
    a.sha256 === b.sha256 &&
    a.configSha256 === b.configSha256 &&
    a.dimension === b.dimension &&
    a.pooling === b.pooling &&
    a.queryPrefix === b.queryPrefix &&
    a.passagePrefix === b.passagePrefix &&
    a.maxTokens === b.maxTokens &&
    a.precision === b.precision
  );
}

/** Retrieval encoders prefix questions and passages differently. */
export type TextRole = 'query' | 'passage';

/** The output of one encoder pass over n texts. */
export interface Encoding {
  /** n x dimension, row-major; every row has unit norm. */
  vectors: Float32Array;
  /** Per text: tokens x dimension, row-major, special tokens included; only when asked for. */
  tokenStates?: Float32Array[];
}

export interface EncodeOptions {
  role: TextRole;
  tokenStates?: boolean;
  signal?: AbortSignal;
  /**
   * When nobody waits for it any more, in milliseconds on the clock of `performance.now()`; what is due first should be
   * encoded first. Absent when that is never.
   */
  dueAt?: number;
}

export interface Encoder {
  readonly identity: EncoderIdentity;
  /** Encodes in the order given. O(sum of tokens); batches are formed by length inside. */
  encode(texts: readonly string[], options: EncodeOptions): Promise<Encoding>;
  /**
   * How many tokens a text has, special ones included, prefixes and the token limit left aside. Without it, a
   * text is taken to have as many tokens as bytes where its room is shared out.
   */
  countTokens?(text: string): number;
  close(): Promise<void>;
}

/** What has to be known about an encoder beyond its weights; what is left out, its folder says. */
export interface EncoderSettings {
  name?: string | undefined;
  pooling?: Pooling | undefined;
  queryPrefix?: string | undefined;
  passagePrefix?: string | undefined;
  /** Longest token sequence, special tokens included. */
  maxTokens?: number | undefined;
  /** What the model's output must have; a check, since the model itself says it. */
  dimension?: number | undefined;
}

/** Settings that take precedence over the folder's, and the cores one call may use. */
export interface OpenEncoderOptions extends EncoderSettings {
  threads?: number | undefined;
}
