// Loads the .proto files beside the sources and wraps each message as a typed codec.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import protobuf from 'protobufjs';

/** Encodes and decodes one message type. Decoding gives plain objects with defaults filled in. */
export interface Codec<T> {
  encode(value: T): Buffer;
  decode(bytes: Uint8Array): T;
}

/** dist/src/contract -> the package root, where the .proto files are shipped as sources. */
const PACKAGE_ROOT = new URL('../../../', import.meta.url);

/** Parses a .proto file named relative to the package root. */
export function loadProto(path: string): protobuf.Root {
  const source = readFileSync(fileURLToPath(new URL(path, PACKAGE_ROOT)), 'utf8');
  return protobuf.parse(source, { keepCase: false }).root;
}

/** The codec of one message; 64-bit integers are numbers, exact up to 2^53. */
export function codec<T extends object>(root: protobuf.Root, type: string): Codec<T> {
  const message = root.lookupType(type);
  return {
    encode: (value) => message.encode(value as protobuf.Message).finish() as Buffer,
    decode: (bytes) =>
      message.toObject(message.decode(bytes), { longs: Number, defaults: true, bytes: Buffer }) as T,
  };
}
