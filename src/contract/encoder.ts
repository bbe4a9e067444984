// What an encoder is: text in, unit vectors (and token states) out.

/** How token states become one vector. */
export type Pooling = 'mean' | 'cls';

/** What a store remembers of its encoder; two encoders with the same identity give the same vectors. */
export interface EncoderIdentity {
  name: string;
  /** SHA-256 of the weights file, lower-case hex. */
  sha256: string;
  dimension: number;
  pooling: Pooling;
  queryPrefix: string;
  passagePrefix: string;
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
}

export interface Encoder {
  readonly identity: EncoderIdentity;
  /** Encodes in the order given. O(sum of tokens); batches are formed by length inside. */
  encode(texts: readonly string[], options: EncodeOptions): Promise<Encoding>;
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
