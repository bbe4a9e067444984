// Walks the pages an LMDB file refers to, without mapping it: is all of it there?
import { readSync } from 'node:fs';

/** An open LMDB file, as its newest meta page describes it. */
export interface PagedFile {
  descriptor: number;
  pageSize: number;
  /** Whole pages in the file. */
  pages: number;
}

/** Page header: number u64, transaction u64, padding u16, flags u16, then two u16; node offsets follow. */
export const PAGE_HEADER_BYTES = 24;
/** Header of one tree: 40 bytes of counters, then the number of its root page. */
export const TREE_BYTES = 48;
export const ROOT_OFFSET = 40;
const FLAGS_OFFSET = 18;
const COUNT_OFFSET = 20;
const NODE_HEADER_BYTES = 8;
const BRANCH = 0x01;
const LEAF = 0x02;
/** Flags of a node of a leaf: its value lies on pages of its own, or is the header of another tree. */
const BIG_VALUE = 0x01;
const TREE = 0x02;
const NO_PAGE = 0xffff_ffff_ffff_ffffn;

/**
 * The number of the first page that a tree refers to and that is not in the file, or is not what it
 * should be; undefined when everything is there. O(pages of the trees); values are not read.
 */
export function missingPage(file: PagedFile, roots: readonly bigint[]): number | undefined {
  const pending = roots.filter((root) => root !== NO_PAGE);
  const page = Buffer.alloc(file.pageSize);
  for (let number = pending.pop(); number !== undefined; number = pending.pop()) {
    const place = Number(number) * file.pageSize;
    if (number >= file.pages || readSync(file.descriptor, page, 0, file.pageSize, place) < file.pageSize) {
      return Number(number);
    }
    const flags = page.readUInt16LE(FLAGS_OFFSET);
    if (page.readBigUInt64LE(0) !== number || (flags & (BRANCH | LEAF)) === 0) return Number(number);
    try {
      for (const at of nodesOf(page)) {
        if ((flags & BRANCH) !== 0) pending.push(childOf(page, at));
        else pending.push(...treesOf(page, at));
        if ((flags & LEAF) !== 0 && lastPageOf(page, at) >= file.pages) return lastPageOf(page, at);
      }
    } catch (error) {
      // By its name: under jest Node's own errors are of another realm.
      if ((error as Error).name === 'RangeError') return Number(number);
      throw error;
    }
  }
  return undefined;
}

function nodesOf(page: Buffer): number[] {
  const count = page.readUInt16LE(COUNT_OFFSET) >> 1;
  return Array.from(
    { length: count },
    (_, place) => page.readUInt16LE(PAGE_HEADER_BYTES + 2 * place) + PAGE_HEADER_BYTES,
  );
}

/** A branch's node keeps the page number of its child in its first 48 bits. */
function childOf(page: Buffer, at: number): bigint {
  return BigInt(page.readUIntLE(at, 6));
}

function nodeValue(page: Buffer, at: number): { flags: number; value: number } {
  return {
    flags: page.readUInt16LE(at + 4),
    value: at + NODE_HEADER_BYTES + page.readUInt16LE(at + 6),
  };
}

function treesOf(page: Buffer, at: number): bigint[] {
  const { flags, value } = nodeValue(page, at);
  if ((flags & TREE) === 0) return [];
  const root = page.readBigUInt64LE(value + ROOT_OFFSET);
  return root === NO_PAGE ? [] : [root];
}

/** The last page of a value that has its own: number u64, transaction u64, count u64. */
function lastPageOf(page: Buffer, at: number): number {
  const { flags, value } = nodeValue(page, at);
  if ((flags & BIG_VALUE) === 0) return -1;
  return Number(page.readBigUInt64LE(value) + page.readBigUInt64LE(value + 16) - 1n);
}
