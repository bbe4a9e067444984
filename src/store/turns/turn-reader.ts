// The turns of a store on disk, read: look up, count, walk. Every method works inside one scope.
import type { Scope } from '../../contract/scope.js';
import type { Turn } from '../../contract/turn.js';
import type { Environment } from '../environment.js';
import { nameKey, rowKey, rowOfKey, scopeKey, scopeRange, timeKey, timeOfKey } from '../keys.js';
import {
  type RowRecord,
  rowCodec,
  type ScopeRecord,
  scopeCodec,
  sessionCodec,
  toTurn,
  turnCodec,
} from '../records.js';
import type { Tables } from '../tables.js';
import { ForgottenScopes } from './forgotten-scopes.js';

/** One stored turn as the native shard takes it. */
export interface StoredRow {
  row: number;
  record: RowRecord;
  vector: Float32Array;
}

/** Where a walk over a scope's turns begins and ends, by event time, half-open. */
export interface TimeSpan {
  from?: number;
  to?: number;
}

/**
 * Keys read at a time by a walk. No cursor is held while a caller works on what it was handed: an open
 * cursor keeps LMDB from reusing pages, and must not outlive its environment.
 */
const PAGE = 512;

export class TurnReader {
  readonly #environment: Environment;
  readonly #tables: Tables;
  readonly #forgotten: ForgottenScopes;

  constructor(environment: Environment) {
    this.#environment = environment;
    this.#tables = environment.tables;
    this.#forgotten = new ForgottenScopes(environment.tables);
  }

  /** The scope's counters; undefined when nothing of it is stored. */
  scope(scope: Scope): ScopeRecord | undefined {
    const value = this.#tables.scopes.get(scopeKey(scope));
    return value && scopeCodec.decode(value);
  }

  /** Every scope with at least one turn stored. */
  *scopes(): Generator<ScopeRecord> {
    for (const { value } of this.#tables.scopes.getRange()) yield scopeCodec.decode(value);
  }

  /** The turn of a row; undefined when it is forgotten, also for a walk that began before. */
  turn(scopeId: number, row: number): Turn | undefined {
    if (this.#forgotten.has(scopeId)) return undefined;
    const value = this.#tables.turns.get(rowKey(scopeId, row));
    return value && toTurn(turnCodec.decode(value));
  }

  rowOf(scopeId: number, turnId: string): number | undefined {
    return this.#tables.turnIds.get(nameKey(scopeId, turnId))?.readUInt32BE(0);
  }

  /** The stored turn of that id. */
  turnById(scopeId: number, turnId: string): Turn | undefined {
    const row = this.rowOf(scopeId, turnId);
    return row === undefined ? undefined : this.turn(scopeId, row);
  }

  sessionOrdinal(scopeId: number, session: string): number | undefined {
    const value = this.#tables.sessions.get(nameKey(scopeId, session));
    return value && sessionCodec.decode(value).ordinal;
  }

  speakerOrdinal(scopeId: number, speaker: string): number | undefined {
    return this.speaker(scopeId, speaker)?.ordinal;
  }

  sessionCount(scopeId: number): number {
    return this.#tables.sessions.getKeysCount(scopeRange(scopeId));
  }

  speakerCount(scopeId: number): number {
    return this.#tables.speakers.getKeysCount(scopeRange(scopeId));
  }

  /** Event time of the oldest and the newest turn. O(log n). */
  span(scopeId: number): { from: number; to: number } | undefined {
    const { start, end } = scopeRange(scopeId);
    const [first] = this.#tables.timeline.getKeys({ start, end, limit: 1 });
    const [last] = this.#tables.timeline.getKeys({ start: end, end: start, reverse: true, limit: 1 });
    return first && last && { from: timeOfKey(first), to: timeOfKey(last) };
  }

  /** Turns by event time, oldest first; ties by arrival. */
  *walk(scopeId: number, span: TimeSpan = {}): Generator<{ row: number; turn: Turn }> {
    const { start, end } = scopeRange(scopeId);
    const to = span.to === undefined ? end : timeKey(scopeId, span.to, 0);
    let from: Buffer | undefined = span.from === undefined ? start : timeKey(scopeId, span.from, 0);
    while (from !== undefined && !this.#forgotten.has(scopeId)) {
      const keys: Buffer[] = [...this.#tables.timeline.getKeys({ start: from, end: to, limit: PAGE })];
      for (const key of keys) {
        this.#environment.assertOpen();
        const row = rowOfKey(key);
        const turn = this.turn(scopeId, row);
        if (turn !== undefined) yield { row, turn };
      }
      from = nextPage(keys);
    }
  }

  /** Rows from `firstRow` on by arrival, as the native shard takes them. */
  *rows(scopeId: number, firstRow = 0): Generator<StoredRow> {
    const { end } = scopeRange(scopeId);
    let from: Buffer | undefined = rowKey(scopeId, firstRow);
    while (from !== undefined && !this.#forgotten.has(scopeId)) {
      const page: Array<{ key: Buffer; value: Buffer }> = [
        ...this.#tables.rows.getRange({ start: from, end, limit: PAGE }),
      ];
      for (const { key, value } of page) {
        this.#environment.assertOpen();
        const row = rowOfKey(key);
        const vector = this.vector(scopeId, row);
        if (vector !== undefined) yield { row, record: rowCodec.decode(value), vector };
      }
      from = nextPage(page.map(({ key }) => key));
    }
  }

  /** Every row with the ordinal of its session, by arrival; cheaper than walking the turns. */
  *sessionsOfRows(scopeId: number): Generator<{ row: number; session: number }> {
    const { end } = scopeRange(scopeId);
    let from: Buffer | undefined = rowKey(scopeId, 0);
    while (from !== undefined) {
      const page: Array<{ key: Buffer; value: Buffer }> = [
        ...this.#tables.rows.getRange({ start: from, end, limit: PAGE }),
      ];
      for (const { key, value } of page) {
        yield { row: rowOfKey(key), session: rowCodec.decode(value).session };
      }
      from = nextPage(page.map(({ key }) => key));
    }
  }

  vector(scopeId: number, row: number): Float32Array | undefined {
    const bytes = this.#tables.vectors.get(rowKey(scopeId, row));
    return bytes && new Float32Array(new Uint8Array(bytes).buffer);
  }

  /** A speaker's ordinal and number of turns. */
  speaker(scopeId: number, name: string): { ordinal: number; turns: number } | undefined {
    const value = this.#tables.speakers.get(nameKey(scopeId, name));
    return value && { ordinal: value.readUInt32BE(0), turns: value.readUInt32BE(4) };
  }

  /** What the native shard takes of a row beside its vector. */
  row(scopeId: number, row: number): RowRecord | undefined {
    const value = this.#tables.rows.get(rowKey(scopeId, row));
    return value && rowCodec.decode(value);
  }
}

/** Where the page after a full one begins: just behind its last key. */
function nextPage(keys: readonly Buffer[]): Buffer | undefined {
  const last = keys.at(-1);
  return last === undefined || keys.length < PAGE ? undefined : Buffer.concat([last, Buffer.alloc(1)]);
}
