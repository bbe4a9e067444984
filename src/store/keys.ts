// LMDB keys: length-prefixed or fixed-width parts, never plain concatenation, ordered as they must be walked.
import type { Scope } from '../contract/scope.js';

/** Key of a scope: two length-prefixed UTF-8 strings, so that no pair of names can meet another. */
export function scopeKey(scope: Scope): Buffer {
  return Buffer.concat([prefixed(scope.tenant), prefixed(scope.user)]);
}

/** Key of something numbered inside a scope; rows sort in order of arrival. */
export function rowKey(scopeId: number, row: number): Buffer {
  const key = Buffer.allocUnsafe(8);
  key.writeUInt32BE(scopeId, 0);
  key.writeUInt32BE(row, 4);
  return key;
}

/** Key of a packed segment: the rows [first, end) of a scope. */
export function segmentKey(scopeId: number, first: number, end: number): Buffer {
  const key = Buffer.allocUnsafe(12);
  key.writeUInt32BE(scopeId, 0);
  key.writeUInt32BE(first, 4);
  key.writeUInt32BE(end, 8);
  return key;
}

export function rangeOfSegment(key: Uint8Array): { first: number; end: number } {
  const bytes = Buffer.from(key.buffer, key.byteOffset, key.byteLength);
  return { first: bytes.readUInt32BE(4), end: bytes.readUInt32BE(8) };
}

/** Key of something named inside a scope. */
export function nameKey(scopeId: number, name: string): Buffer {
  const head = Buffer.allocUnsafe(4);
  head.writeUInt32BE(scopeId, 0);
  return Buffer.concat([head, prefixed(name)]);
}

/** Key in the time index: scope, then event time (sign flipped so that bytes sort as numbers), then row. */
export function timeKey(scopeId: number, at: number, row: number): Buffer {
  const key = Buffer.allocUnsafe(16);
  key.writeUInt32BE(scopeId, 0);
  key.writeBigUInt64BE(BigInt(at) + 0x8000000000000000n, 4);
  key.writeUInt32BE(row, 12);
  return key;
}

export function timeOfKey(key: Uint8Array): number {
  return Number(
    Buffer.from(key.buffer, key.byteOffset, key.byteLength).readBigUInt64BE(4) - 0x8000000000000000n,
  );
}

/** The range that holds everything of one scope, for any key that begins with its id. */
export function scopeRange(scopeId: number): { start: Buffer; end: Buffer } {
  const start = Buffer.allocUnsafe(4);
  start.writeUInt32BE(scopeId, 0);
  const end = Buffer.allocUnsafe(4);
  end.writeUInt32BE(scopeId + 1, 0);
  return { start, end };
}

export function rowOfKey(key: Uint8Array): number {
  const bytes = Buffer.from(key.buffer, key.byteOffset, key.byteLength);
  return bytes.readUInt32BE(bytes.length - 4);
}

function prefixed(text: string): Buffer {
  const bytes = Buffer.from(text);
  const length = Buffer.allocUnsafe(2);
  length.writeUInt16BE(bytes.length, 0);
  return Buffer.concat([length, bytes]);
}
