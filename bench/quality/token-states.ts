// Token states of texts: what late interaction compares, and the form in which an index would hold them.
import type { Encoder, TextRole } from '../../src/contract/encoder.js';
import { OntomemError } from '../../src/errors.js';

/** The states of one text's tokens: tokens x dimension whole numbers, each token with its scale; unit norm. */
export interface TokenStates {
  values: Int8Array;
  scales: Float32Array;
}

/** [CLS] in front and [SEP] at the end say nothing of their own. */
const SPECIAL_EACH_SIDE = 1;
const LARGEST = 127;

/**
 * Unit states of each text's own tokens, tokens x dimension.
 * @throws ENCODER_INVALID when the encoder gives no token states.
 */
export async function encodeStates(
  encoder: Encoder,
  texts: readonly string[],
  role: TextRole,
): Promise<Float32Array[]> {
  const { tokenStates } = await encoder.encode(texts, { role, tokenStates: true });
  if (tokenStates === undefined)
    throw new OntomemError('ENCODER_INVALID', {
      input: encoder.identity.name,
      problem: 'gives no token states',
    });
  const { dimension } = encoder.identity;
  const edge = SPECIAL_EACH_SIDE * dimension;
  return tokenStates.map((states) => {
    const own = states.slice(edge, Math.max(edge, states.length - edge));
    for (let start = 0; start < own.length; start += dimension)
      normalise(own.subarray(start, start + dimension));
    return own;
  });
}

/** Unit states as int8: cosines move by less than a hundredth, the bytes are a quarter. */
export function quantise(states: Float32Array, dimension: number): TokenStates {
  const values = new Int8Array(states.length);
  const scales = new Float32Array(states.length / dimension);
  for (let token = 0; token < scales.length; token++) {
    const start = token * dimension;
    let largest = 0;
    for (let i = start; i < start + dimension; i++) largest = Math.max(largest, Math.abs(states[i] ?? 0));
    const unit = largest || 1;
    for (let i = start; i < start + dimension; i++)
      values[i] = Math.round(((states[i] ?? 0) / unit) * LARGEST);
    scales[token] = unit / LARGEST;
  }
  return { values, scales };
}

/** The states that the int8 form stands for. */
export function restored({ values, scales }: TokenStates): Float32Array {
  const dimension = values.length / scales.length;
  const states = new Float32Array(values.length);
  for (const [token, scale] of scales.entries()) {
    for (let i = token * dimension; i < (token + 1) * dimension; i++) states[i] = (values[i] ?? 0) * scale;
  }
  return states;
}

/** In place. */
function normalise(row: Float32Array): void {
  let squared = 0;
  for (const value of row) squared += value * value;
  const norm = Math.sqrt(squared) || 1;
  for (let i = 0; i < row.length; i++) row[i] = (row[i] ?? 0) / norm;
}
