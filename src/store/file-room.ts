// Room for a transaction, taken before it begins: what is written inside one then never meets a full disk. LMDB (lmdb 3.5.6)
// writes the text of such an error past the 100 bytes it took for it, which ends the process sooner or later.
import { getSystemErrorName } from 'node:util';
import { releaseRoom, reserveRoom } from '../native/file-room.js';
import type { TableWrites } from './commit.js';
import { type OpenTables, sizeOf, usageOf } from './usage.js';

/** Pages that LMDB's own tables and the way to a leaf of each of ours take at most. */
const PAGES_AROUND = 64;
/** A write takes a copy of its leaf and perhaps half of that leaf anew. */
const PAGES_A_WRITE = 2;
/** Taken at once, so that few transactions ask. */
const CHUNK_BYTES = 1024 * 1024;

export class FileRoom {
  readonly #dataFile: string;
  /** Bytes of the file that surely have their place on the disk. */
  #reserved = 0;

  constructor(dataFile: string) {
    this.#dataFile = dataFile;
  }

  /**
   * Makes sure of the room for `writes`; `inOrder` when they follow all keys there are, so that pages fill up.
   * @throws an error with the operating system's code when there is none, and no free pages within the file either.
   */
  take(tables: OpenTables, writes: TableWrites, inOrder: boolean): void {
    const { pageSize, bytes } = sizeOf(tables.root);
    const wanted = pageSize * pagesFor(writes, pageSize, inOrder);
    const end = bytes + wanted;
    if (end <= this.#reserved) return;
    const chunks = Math.ceil(end / CHUNK_BYTES) * CHUNK_BYTES;
    const problem = this.#reserve(chunks) && this.#reserve(end);
    if (problem === 0) return;
    // What was forgotten left pages that have their place: a forget must not need room to make room.
    const { usedBytes } = usageOf(tables);
    if (bytes - usedBytes >= wanted && this.#reserve(bytes) === 0) return;
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

function pagesFor(writes: TableWrites, pageSize: number, inOrder: boolean): number {
  let bytes = 0;
  let count = 0;
  for (const [, staged] of writes) {
    count += staged.length;
    for (const { key, value } of staged) bytes += key.length + (value?.length ?? 0);
  }
  // Twice, since a page may be half full.
  return PAGES_AROUND + (inOrder ? 0 : PAGES_A_WRITE * count) + Math.ceil((2 * bytes) / pageSize);
}
