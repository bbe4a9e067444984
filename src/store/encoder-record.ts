// Which encoder a store's vectors come from: written once, compared at every opening.
import { type EncoderIdentity, sameEncoder } from '../contract/encoder.js';
import { OntomemError } from '../errors.js';
import type { Environment } from './environment.js';
import { encoderCodec } from './records.js';

const ENCODER_KEY = Buffer.from('encoder');
const REENCODING_KEY = Buffer.from('reencoding');

function storedEncoder(environment: Environment): EncoderIdentity | undefined {
  return decode(environment.tables.meta.get(ENCODER_KEY));
}

function reencodingTarget(environment: Environment): EncoderIdentity | undefined {
  return decode(environment.tables.meta.get(REENCODING_KEY));
}

/** True when every vector of the store is of this encoder: an interrupted re-encoding left a mixture. */
export function isBoundTo(environment: Environment, encoder: EncoderIdentity): boolean {
  const stored = storedEncoder(environment);
  return stored !== undefined && sameEncoder(stored, encoder) && reencodingTarget(environment) === undefined;
}

/**
 * Ties a new store to an encoder, or checks that it is the one the store was written with.
 * @throws ENCODER_MISMATCH naming both and the command that re-encodes.
 */
export async function bindEncoder(environment: Environment, encoder: EncoderIdentity): Promise<void> {
  refuseOtherEncoder(environment, encoder);
  if (storedEncoder(environment) === undefined && !environment.readOnly) {
    await environment.write(() => writeEncoder(environment, encoder));
  }
}

/** @throws ENCODER_MISMATCH unless the store is new or its vectors are this encoder's. */
export function refuseOtherEncoder(environment: Environment, encoder: EncoderIdentity): void {
  const stored = storedEncoder(environment);
  const target = reencodingTarget(environment);
  if (target !== undefined) {
    throw new OntomemError('ENCODER_MISMATCH', {
      input: environment.path,
      problem: `its re-encoding for ${describe(target)} was interrupted`,
      cure: `finish it with: ${command(environment, target)}`,
    });
  }
  if (stored === undefined || sameEncoder(stored, encoder)) return;
  throw new OntomemError('ENCODER_MISMATCH', {
    input: environment.path,
    problem: `was written with ${describe(stored)}, opened with ${describe(encoder)}`,
    cure: `open it with encoder: ${JSON.stringify(stored.name)}, or run: ${command(environment, encoder)}`,
  });
}

/** Marks the store as between two encoders; `bindEncoder` refuses it until `endReencoding`. */
export async function beginReencoding(environment: Environment, target: EncoderIdentity): Promise<void> {
  await environment.write(() => environment.tables.meta.putSync(REENCODING_KEY, encoderCodec.encode(target)));
}

/** Ties the store to its new encoder. */
export async function endReencoding(environment: Environment, target: EncoderIdentity): Promise<void> {
  await environment.write(() => {
    writeEncoder(environment, target);
    environment.tables.meta.removeSync(REENCODING_KEY);
  });
}

function writeEncoder(environment: Environment, encoder: EncoderIdentity): void {
  environment.tables.meta.putSync(ENCODER_KEY, encoderCodec.encode(encoder));
}

function decode(value: Buffer | undefined): EncoderIdentity | undefined {
  return value && encoderCodec.decode(value);
}

function command(environment: Environment, encoder: EncoderIdentity): string {
  return `ontomem reencode --store ${environment.path} --encoder ${encoder.name}`;
}

function describe(encoder: EncoderIdentity): string {
  const { name, dimension, pooling, sha256, configSha256, maxTokens, precision } = encoder;
  const digests = [sha256, configSha256].map((digest) => digest.slice(0, 12)).join('/');
  return `${name} (${dimension}-d, ${pooling} pooling, ${maxTokens} tokens, ${precision}, sha256 ${digests})`;
}
