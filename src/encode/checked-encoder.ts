// An encoder whose every batch is checked: whatever it gives wrongly is an error here, and reaches no store.
import { types } from 'node:util';
import { read } from '../contract/check.js';
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
    // Read once and copied: what the encoder does to its arrays afterwards changes nothing.
    const { name, dimension } = this.identity;
    const vectors = attempt(() => copyOf(encoding.vectors));
    if (vectors === undefined) throw invalid(name, 'gave vectors that are no Float32Array');
    if (vectors.length !== texts.length * dimension) {
      throw invalid(
        name,
        `gave ${vectors.length} numbers for ${texts.length} texts of ${dimension} dimensions`,
      );
    }
    for (let row = 0; row < texts.length; row++) {
      const problem = unitVectorProblem(vectors.subarray(row * dimension, (row + 1) * dimension));
      if (problem !== undefined)
        throw invalid(name, `gave a vector that ${problem} (text ${row} of ${texts.length})`);
    }
    if (!sameEncoder(readIdentity(this.#encoder), this.identity)) {
      throw invalid(name, 'changed its identity while it was open');
    }
    if (!options.tokenStates) return { vectors };
    const tokenStates = attempt(() => {
      const states: unknown = encoding.tokenStates;
      return states === undefined ? undefined : [...(states as unknown[])].map(copyOf);
    });
    if (tokenStates === undefined) return { vectors };
    if (!tokenStates.every((states) => states !== undefined)) {
      throw invalid(name, 'gave token states that are no Float32Array');
    }
    return { vectors, tokenStates };
  }

  /** What the encoder says, else one a byte, which no tokenizer exceeds. */
  countTokens(text: string): number {
    const bytes = Buffer.byteLength(text);
    const said: unknown = attempt(() =>
      this.#encoder.countTokens === undefined ? bytes : this.#encoder.countTokens(text),
    );
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
      if (isTyped(cause)) throw cause;
      const input = this.identity.name;
      const { signal } = options;
      if (read(() => signal?.aborted, 'signal'))
        throw new OntomemError('ABORTED', { input, problem: 'encoding was aborted', cause });
      throw new OntomemError('ENCODER_FAILED', { input, problem: `failed (${reasonOf(cause)})`, cause });
    }
  }
}

/** What a proxy throws may itself be one whose traps throw. */
function isTyped(cause: unknown): cause is OntomemError {
  return !types.isProxy(cause) && cause instanceof OntomemError;
}

/**
 * An own copy by what the array is, not by what its methods and getters say; undefined of anything else, also
 * of a proxy.
 */
function copyOf(given: unknown): Float32Array | undefined {
  return types.isFloat32Array(given) ? new Float32Array(given) : undefined;
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
