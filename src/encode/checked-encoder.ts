// An encoder whose every batch is checked: whatever it gives wrongly is an error here, and reaches no store.
import {
  type EncodeOptions,
  type Encoder,
  type EncoderIdentity,
  type Encoding,
  sameEncoder,
} from '../contract/encoder.js';
import { encoderIdentitySchema } from '../contract/schemas.js';
import { OntomemError, reasonOf } from '../errors.js';

/** How far a row's norm may be from 1: half-precision encoders round that much. */
const NORM_TOLERANCE = 1e-3;

/** What is wrong with a vector that should have unit norm; undefined when nothing is. O(dimension). */
export function unitVectorProblem(vector: Float32Array): string | undefined {
  let squares = 0;
  for (const value of vector) squares += value * value;
  const norm = Math.sqrt(squares);
  if (Math.abs(norm - 1) <= NORM_TOLERANCE) return undefined;
  return vector.every(Number.isFinite) ? `has norm ${norm}, not 1` : 'has a number that is not finite';
}

/**
 * Wraps an encoder of a caller's, or one of ours over weights from anywhere. Its identity is read once and
 * must stay what it was. @throws ENCODER_INVALID naming what is wrong, ENCODER_FAILED when it throws.
 */
export class CheckedEncoder implements Encoder {
  readonly identity: EncoderIdentity;
  readonly #encoder: Encoder;

  constructor(encoder: Encoder) {
    this.#encoder = encoder;
    this.identity = Object.freeze(readIdentity(encoder));
    if (typeof attempt(() => encoder.encode) !== 'function') throw invalid('encoder', 'has no method encode');
  }

  async encode(texts: readonly string[], options: EncodeOptions): Promise<Encoding> {
    const encoding = await this.#ask(texts, options);
    // Read once and copied: what the encoder does to its array afterwards changes nothing.
    const given: unknown = attempt(() => encoding.vectors);
    const { name, dimension } = this.identity;
    if (!(given instanceof Float32Array)) throw invalid(name, 'gave vectors that are no Float32Array');
    if (given.length !== texts.length * dimension) {
      throw invalid(
        name,
        `gave ${given.length} numbers for ${texts.length} texts of ${dimension} dimensions`,
      );
    }
    const vectors = given.slice();
    for (let row = 0; row < texts.length; row++) {
      const problem = unitVectorProblem(vectors.subarray(row * dimension, (row + 1) * dimension));
      if (problem !== undefined)
        throw invalid(name, `gave a vector that ${problem} (text ${row} of ${texts.length})`);
    }
    if (!sameEncoder(readIdentity(this.#encoder), this.identity)) {
      throw invalid(name, 'changed its identity while it was open');
    }
    const { tokenStates } = encoding;
    return tokenStates === undefined ? { vectors } : { vectors, tokenStates };
  }

  /** What the encoder says, else one a byte, which no tokenizer exceeds. */
  countTokens(text: string): number {
    const bytes = Buffer.byteLength(text);
    if (this.#encoder.countTokens === undefined) return bytes;
    const said: unknown = attempt(() => this.#encoder.countTokens?.(text));
    if (typeof said === 'number' && said >= 0) return said;
    throw invalid(this.identity.name, 'counts tokens that are no number');
  }

  async close(): Promise<void> {
    await this.#encoder.close();
  }

  async #ask(texts: readonly string[], options: EncodeOptions): Promise<Encoding> {
    try {
      return await this.#encoder.encode([...texts], options);
    } catch (cause) {
      if (cause instanceof OntomemError) throw cause;
      const input = this.identity.name;
      if (options.signal?.aborted)
        throw new OntomemError('ABORTED', { input, problem: 'encoding was aborted', cause });
      throw new OntomemError('ENCODER_FAILED', { input, problem: `failed (${reasonOf(cause)})`, cause });
    }
  }
}

/** A copy of the identity an encoder states. */
function readIdentity(encoder: Encoder): EncoderIdentity {
  const parsed = attempt(() => encoderIdentitySchema.safeParse({ ...encoder.identity }));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw invalid(`encoder.identity.${issue?.path.join('.') ?? ''}`, issue?.message ?? 'is not valid');
}

function attempt<T>(action: () => T): T {
  try {
    return action();
  } catch (cause) {
    throw invalid('encoder', `cannot be read (${reasonOf(cause)})`, cause);
  }
}

function invalid(input: string, problem: string, cause?: unknown): OntomemError {
  return new OntomemError('ENCODER_INVALID', {
    input,
    problem,
    cure: 'correct the encoder: see Encoder for what it must give; nothing of this call was stored',
    cause,
  });
}
