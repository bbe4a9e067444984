// Checkpoints as bytes: what training writes and serving reads (checkpoint.proto).
import { OntomemError } from '../errors.js';
import type { EncoderIdentity } from './encoder.js';
import { codec, loadProto } from './proto.js';

/** A linear map that carries a request's vector towards the statement it asks for. */
export interface QueryLift {
  encoder: EncoderIdentity;
  /** dimension x dimension, row-major. */
  map: Float32Array;
  seed: number;
  epochs: number;
  /** Pairs it was trained on. */
  pairs: number;
}

interface QueryLiftRecord extends Omit<QueryLift, 'map'> {
  version: number;
  map: Uint8Array;
}

const VERSION = 2;
const records = codec<QueryLiftRecord>(
  loadProto('src/contract/checkpoint.proto'),
  'ontomem.checkpoint.QueryLift',
);

export function encodeQueryLift(lift: QueryLift): Buffer {
  const { map } = lift;
  return records.encode({
    ...lift,
    version: VERSION,
    map: Buffer.from(map.buffer, map.byteOffset, map.byteLength),
  });
}

/** @throws CHECKPOINT_INVALID naming `file` when the bytes are no query lift of a known version. */
export function decodeQueryLift(bytes: Uint8Array, file: string): QueryLift {
  const { version, map, ...rest } = parse(bytes, file);
  if (version !== VERSION) throw invalid(file, `has version ${version}, this ontomem knows ${VERSION}`);
  const numbers = new Float32Array(new Uint8Array(map).buffer, 0, Math.floor(map.byteLength / 4));
  const dimension = rest.encoder?.dimension ?? 0;
  if (dimension === 0 || numbers.length !== dimension ** 2) throw invalid(file, 'has a map of another size');
  if (!numbers.every(Number.isFinite)) throw invalid(file, 'has numbers that are not finite');
  return { ...rest, map: numbers };
}

function parse(bytes: Uint8Array, file: string): QueryLiftRecord {
  try {
    return records.decode(bytes);
  } catch (cause) {
    throw invalid(file, 'is no checkpoint', cause);
  }
}

function invalid(file: string, problem: string, cause?: unknown): OntomemError {
  return new OntomemError('CHECKPOINT_INVALID', { input: file, problem, cause });
}
