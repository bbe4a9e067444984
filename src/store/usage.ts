// How much of a data file is in use: LMDB counts the pages of each table, so asking is O(1).
import type { RootDatabase } from 'lmdb';
import { type Databases, TABLE_NAMES } from './tables.js';

/** How much of the data file is in use. */
export interface Usage {
  bytes: number;
  usedBytes: number;
}

/** What a data file is open as. */
export interface OpenTables {
  root: RootDatabase<Buffer, Buffer>;
  databases: Databases;
}

interface PageCounts {
  pageSize?: number;
  treeDepth: number;
  treeBranchPageCount: number;
  treeLeafPageCount: number;
  overflowPages: number;
}

interface FileStats extends PageCounts {
  lastPageNumber: number;
  free: PageCounts;
  root: PageCounts;
}

const META_PAGES = 2;

export function usageOf({ root, databases }: OpenTables): Usage {
  const main = root.getStats() as FileStats;
  const { pageSize, bytes } = sizeFrom(main);
  const tables = TABLE_NAMES.map((name) => databases[name].getStats() as PageCounts);
  const used = [main, main.free, ...tables].reduce((sum, counts) => sum + pagesOf(counts), META_PAGES);
  return { bytes, usedBytes: used * pageSize };
}

/** Of the file as far as it is in use: what LMDB takes next lies behind `bytes`. */
export function sizeOf(root: RootDatabase<Buffer, Buffer>): { pageSize: number; bytes: number } {
  return sizeFrom(root.getStats() as FileStats);
}

/** Of one table's tree. */
export function shapeOf(database: Databases[keyof Databases]): {
  leaves: number;
  branches: number;
  depth: number;
} {
  const { treeLeafPageCount, treeBranchPageCount, treeDepth } = database.getStats() as PageCounts;
  return { leaves: treeLeafPageCount, branches: treeBranchPageCount, depth: treeDepth };
}

function sizeFrom({ lastPageNumber, root: { pageSize = 0 } }: FileStats) {
  return { pageSize, bytes: (lastPageNumber + 1) * pageSize };
}

function pagesOf({ treeBranchPageCount, treeLeafPageCount, overflowPages }: PageCounts): number {
  return treeBranchPageCount + treeLeafPageCount + overflowPages;
}
