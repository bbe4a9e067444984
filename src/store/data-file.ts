// Looks at an LMDB data file before it is mapped: a torn or foreign one must not be opened.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const META_BYTES = 4096 * 2;
/** lmdb-js writes 24: page number, transaction id, then 8 bytes of flags and bounds. */
const PAGE_HEADER_BYTES = 24;
const LMDB_MAGIC = 0xbeefc0de;
/** Offsets inside a meta page after its header: magic u32, version u32, address u64, map size u64, two
 * database headers of 48 bytes (the first one's u32 is the page size), then the last page used (u64). */
const PAGE_SIZE_OFFSET = PAGE_HEADER_BYTES + 24;
const LAST_PAGE_OFFSET = PAGE_HEADER_BYTES + 24 + 2 * 48;

/** What is wrong with the file; 'absent' when there is none (or an empty one), undefined when it is sound. */
export function dataFileProblem(file: string): string | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'absent';
    return `cannot be read (${(error as Error).message})`;
  }
  try {
    const head = Buffer.alloc(META_BYTES);
    const read = readSync(descriptor, head, 0, META_BYTES, 0);
    if (read === 0) return 'absent';
    if (read < PAGE_SIZE_OFFSET + 4 || head.readUInt32LE(PAGE_HEADER_BYTES) !== LMDB_MAGIC)
      return 'is not an LMDB file';
    const pageSize = head.readUInt32LE(PAGE_SIZE_OFFSET);
    const lastPages = [0, pageSize]
      .filter(
        (page) =>
          page + LAST_PAGE_OFFSET + 8 <= read && head.readUInt32LE(page + PAGE_HEADER_BYTES) === LMDB_MAGIC,
      )
      .map((page) => Number(head.readBigUInt64LE(page + LAST_PAGE_OFFSET)));
    if (lastPages.length === 0) return 'is cut short: not one whole page of it is left';
    const needed = (Math.max(...lastPages) + 1) * pageSize;
    // Measured after the pages were read: a writer lets the file grow before its pages say so.
    const { size } = fstatSync(descriptor);
    return size < needed ? `is cut short: ${size} of ${needed} bytes` : undefined;
  } finally {
    closeSync(descriptor);
  }
}
