// Looks at an LMDB data file before it is mapped: a torn or foreign one must not be opened.
import { closeSync, fstatSync, lstatSync, openSync, readSync, statSync } from 'node:fs';
import { missingPage, PAGE_HEADER_BYTES, ROOT_OFFSET, TREE_BYTES } from './page-walk.js';

const LMDB_MAGIC = 0xbeefc0de;
/** A meta page after its header: magic u32, version u32, address u64, map size u64, the headers of the free
 * and the main tree (the first one's u32 is the page size), then the last page used and the transaction. */
const FREE_TREE_OFFSET = PAGE_HEADER_BYTES + 24;
const MAIN_TREE_OFFSET = FREE_TREE_OFFSET + TREE_BYTES;
const LAST_PAGE_OFFSET = MAIN_TREE_OFFSET + TREE_BYTES;
const TRANSACTION_OFFSET = LAST_PAGE_OFFSET + 8;
const META_BYTES = TRANSACTION_OFFSET + 8;
const LEAST_PAGE_BYTES = 256;
const MOST_PAGE_BYTES = 65_536;

/** What a look at the file found; only content that was read says that a file is damaged. */
export type Finding =
  | { kind: 'sound' }
  | { kind: 'absent' }
  | { kind: 'damaged'; problem: string }
  | { kind: 'no file'; problem: string }
  | { kind: 'unread'; cause: unknown };

export function lookAtDataFile(file: string): Finding {
  try {
    if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return { kind: 'absent' };
    // Before it is opened: opening a pipe waits for whoever writes to it.
    if (!statSync(file).isFile()) return { kind: 'no file', problem: 'is not a regular file' };
    const descriptor = openSync(file, 'r');
    try {
      const problem = problemOf(descriptor);
      if (problem === undefined || problem === 'absent') return { kind: problem ?? 'sound' };
      return { kind: 'damaged', problem };
    } finally {
      closeSync(descriptor);
    }
  } catch (cause) {
    return { kind: 'unread', cause };
  }
}

/** 'absent' for an empty file, undefined when it is sound. */
function problemOf(descriptor: number): string | undefined {
  const first = metaPage(descriptor, 0);
  if (first === undefined) return fstatSync(descriptor).size === 0 ? 'absent' : 'is not an LMDB file';
  const pageSize = first.readUInt32LE(FREE_TREE_OFFSET);
  if (pageSize < LEAST_PAGE_BYTES || pageSize > MOST_PAGE_BYTES) return 'is not an LMDB file';
  const second = metaPage(descriptor, pageSize);
  if (second === undefined) return 'is cut short: its second page is not whole';
  const newest = transactionOf(second) > transactionOf(first) ? second : first;
  // Measured after the meta pages were read: a writer lets the file grow before its pages say so.
  const { size } = fstatSync(descriptor);
  const needed = (Number(newest.readBigUInt64LE(LAST_PAGE_OFFSET)) + 1) * pageSize;
  if (size >= needed) return undefined;
  // Pages that were taken and freed in one transaction are never written: shorter need not be torn.
  const roots = [FREE_TREE_OFFSET, MAIN_TREE_OFFSET].map((tree) =>
    newest.readBigUInt64LE(tree + ROOT_OFFSET),
  );
  const missing = missingPage({ descriptor, pageSize, pages: Math.floor(size / pageSize) }, roots);
  return missing === undefined
    ? undefined
    : `is cut short: ${size} of ${needed} bytes, page ${missing} is missing`;
}

function metaPage(descriptor: number, at: number): Buffer | undefined {
  const page = Buffer.alloc(META_BYTES);
  const read = readSync(descriptor, page, 0, META_BYTES, at);
  return read === META_BYTES && page.readUInt32LE(PAGE_HEADER_BYTES) === LMDB_MAGIC ? page : undefined;
}

function transactionOf(meta: Buffer): bigint {
  return meta.readBigUInt64LE(TRANSACTION_OFFSET);
}
