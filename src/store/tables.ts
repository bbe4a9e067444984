// The tables of a store, by name. Keys are built in keys.ts, values in records.ts.
import type { Database, RootDatabase } from 'lmdb';
import { type ReadGuard, type StagedWrite, Table } from './table.js';

export interface Tables {
  /** schema version, encoder identity, next scope id, whether something was forgotten, marks of forgotten scopes */
  meta: Table;
  /** tenant + user -> ScopeRecord */
  scopes: Table;
  /** scope + session name -> SessionRecord */
  sessions: Table;
  /** scope + speaker name -> ordinal, number of turns */
  speakers: Table;
  /** scope + row -> TurnRecord */
  turns: Table;
  /** scope + turn id -> row */
  turnIds: Table;
  /** scope + row -> RowRecord */
  rows: Table;
  /** scope + row -> float32 vector, little-endian */
  vectors: Table;
  /** scope + event time + row -> nothing: turns in the order in which they were said */
  timeline: Table;
  /** scope + first row + end -> those rows packed for loading (turns/segments.ts) */
  segments: Table;
  /** scope + change number -> uint32 rows that went with it (turns/deletion-log.ts) */
  deletions: Table;
}

export const TABLE_NAMES = [
  'meta',
  'scopes',
  'sessions',
  'speakers',
  'turns',
  'turnIds',
  'rows',
  'vectors',
  'timeline',
  'segments',
  'deletions',
] as const satisfies ReadonlyArray<keyof Tables>;

export type TableName = (typeof TABLE_NAMES)[number];

export const BINARY = { encoding: 'binary', keyEncoding: 'binary' } as const;

export function makeTables(guard: ReadGuard): Tables {
  return Object.fromEntries(TABLE_NAMES.map((name) => [name, new Table(guard)])) as unknown as Tables;
}

export type Databases = Record<TableName, Database<Buffer, Buffer>>;

/** Opens every table of `root`; undefined when one is missing and may not be made. */
export function openDatabases(root: RootDatabase<Buffer, Buffer>, create: boolean): Databases | undefined {
  const opened = TABLE_NAMES.map((name) => {
    // lmdb's types know nothing of `create`, nor that it then gives undefined.
    const options = { ...BINARY, create };
    return [
      name,
      root.openDB<Buffer, Buffer>(name, options) as Database<Buffer, Buffer> | undefined,
    ] as const;
  });
  if (opened.some(([, database]) => database === undefined)) return undefined;
  return Object.fromEntries(opened) as unknown as Databases;
}

/** Staged writes, by table. */
export type TableWrites = ReadonlyArray<readonly [TableName, StagedWrite[]]>;

/** What the group staged, by table; taken out of the tables. */
export function takeWrites(tables: Tables): TableWrites {
  return TABLE_NAMES.map((name) => [name, tables[name].takeWrites()] as const).filter(
    ([, writes]) => writes.length > 0,
  );
}

/** In `meta`: something was forgotten or amended since the file was last written anew. */
export const FORGOTTEN_KEY = Buffer.from('forgotten');
