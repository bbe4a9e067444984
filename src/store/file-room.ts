// Room for a transaction, taken before it begins: what is written inside one then never meets a full disk. LMDB (lmdb 3.5.6)
// writes the text of such an error past the 100 bytes it took for it, which ends the process sooner or later.
import { getSystemErrorName } from 'node:util';
import { releaseRoom, reserveRoom } from '../native/file-room.js';
import { FORGOTTEN_KEY, type TableWrites } from './tables.js';
import { type OpenTables, shapeOf, sizeOf } from './usage.js';

/** What LMDB's own tables take: the list of free pages and the names of the tables. */
const PAGES_OF_LMDB = 24;
/** Taken at once, so that few transactions ask. */
const CHUNK_BYTES = 1024 * 1024;
/** Kept for what forgets: it must not need room to make room. */
const KEPT_BYTES = 1024 * 1024;

export class FileRoom {
  readonly #dataFile: string;
  /** Bytes of the file that surely have their place on the disk. */
  #reserved = 0;

  constructor(dataFile: string) {
    this.#dataFile = dataFile;
  }

  /**
   * Makes sure of the room for `writes`; `inOrder` when they follow all keys there are, so that pages fill up.
   * Free pages within the file do not count: a reader may hold them, and a long value wants them in a row.
   * @throws an error with the operating system's code when there is none.
   */
  take(tables: OpenTables, writes: TableWrites, inOrder: boolean): void {
    const { pageSize, bytes } = sizeOf(tables.root);
    const wanted = pageSize * pagesFor(tables, writes, pageSize, inOrder);
    const end = bytes + wanted + (isForgetting(writes) ? 0 : KEPT_BYTES);
    if (end <= this.#reserved) return;
    const chunks = Math.ceil(end / CHUNK_BYTES) * CHUNK_BYTES;
    const problem = this.#reserve(chunks) && this.#reserve(end);
    if (problem === 0) return;
    const code = getSystemErrorName(-problem);
    throw Object.assign(new Error(`${code}: no room for ${wanted} bytes more`), { code });
  }

  #reserve(to: number): number {
    if (to <= this.#reserved) return 0;
    const problem = reserveRoom(this.#dataFile, this.#reserved, to);
    if (problem === 0) this.#reserved = to;
    return problem;
  }

  giveBack(): void {
    if (this.#reserved > 0) releaseRoom(this.#dataFile);
    this.#reserved = 0;
  }
}

/** Pages that the transaction writes at most. */
function pagesFor(
  { databases }: OpenTables,
  writes: TableWrites,
  pageSize: number,
  inOrder: boolean,
): number {
  let pages = PAGES_OF_LMDB;
  for (const [name, staged] of writes) {
    const { leaves, branches, depth } = shapeOf(databases[name]);
    const bytes = staged.reduce((sum, { key, value }) => sum + key.length + (value?.length ?? 0), 0);
    // Twice, since a page may be half full.
    pages += depth + Math.ceil((2 * bytes) / pageSize);
    // A write takes its leaf and the way to it anew, and may divide the leaf.
    if (!inOrder) pages += Math.min(2 * staged.length, 2 * leaves) + Math.min(staged.length, branches);
  }
  return pages;
}

/** What people said is removed: noted as such, or deleted behind a mark. */
function isForgetting(writes: TableWrites): boolean {
  const isNoted = writes.some(
    ([name, staged]) => name === 'meta' && staged.some(({ key }) => key.equals(FORGOTTEN_KEY)),
  );
  return isNoted || writes.every(([, staged]) => staged.every(({ value }) => value === undefined));
}
