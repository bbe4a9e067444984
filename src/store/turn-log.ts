// The turns of a store on disk: append, look up, walk, delete. Every method works inside one scope.
import type { Scope } from '../contract/scope.js';
import type { Turn } from '../contract/turn.js';
import type { Environment, Tables } from './environment.js';
import { nameKey, rowKey, rowOfKey, scopeKey, scopeRange, timeKey, timeOfKey } from './keys.js';
import {
  type RowRecord,
  rowCodec,
  type ScopeRecord,
  scopeCodec,
  sessionCodec,
  toTurn,
  toTurnRecord,
  turnCodec,
} from './records.js';

/** A turn ready to be written: its text side, its lexical side and its vector. */
export interface IndexedTurn {
  turn: Turn;
  vector: Float32Array;
  flags: number;
  termHashes: Uint32Array;
  termCounts: Uint16Array;
  length: number;
}

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

const NEXT_SCOPE = Buffer.from('next-scope');

export class TurnLog {
  readonly #environment: Environment;
  readonly #tables: Tables;

  constructor(environment: Environment) {
    this.#environment = environment;
    this.#tables = environment.tables;
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

  turn(scopeId: number, row: number): Turn | undefined {
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
    return this.#speaker(scopeId, speaker)?.ordinal;
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

  /**
   * Appends turns in one durable transaction; a turn whose id is already stored is left as it is.
   * NEXT order is the order of arrival within a session, whatever the clocks say. O(turns · log n).
   */
  async append(scope: Scope, turns: readonly IndexedTurn[]): Promise<void> {
    await this.#environment.write(() => {
      const counters = this.scope(scope) ?? this.#newScope(scope);
      for (const indexed of turns) {
        if (this.rowOf(counters.id, indexed.turn.id) === undefined) this.#put(counters, indexed);
      }
      this.#tables.scopes.putSync(scopeKey(scope), scopeCodec.encode(counters));
    });
  }

  /** Replaces what a turn says beside its text; nothing else of it changes. */
  async replace(scopeId: number, row: number, turn: Turn): Promise<void> {
    await this.#environment.write(() =>
      this.#tables.turns.putSync(rowKey(scopeId, row), turnCodec.encode(toTurnRecord(turn))),
    );
  }

  /** Replaces the vectors of rows; `vectors` is rows.length x dimension. */
  async replaceVectors(scope: Scope, rows: readonly number[], vectors: Float32Array): Promise<void> {
    const dimension = vectors.length / rows.length;
    await this.#environment.write(() => {
      const counters = this.scope(scope);
      if (counters === undefined) return;
      for (const [position, row] of rows.entries()) {
        const vector = vectors.subarray(position * dimension, (position + 1) * dimension);
        this.#tables.vectors.putSync(rowKey(counters.id, row), bytesOf(vector));
      }
      counters.deletions++;
      this.#tables.scopes.putSync(scopeKey(scope), scopeCodec.encode(counters));
    });
  }

  /**
   * Deletes rows with everything that hangs on them, in one durable transaction, and closes the gap in
   * their session's order; a scope whose last turn goes is gone. O(rows · log n).
   */
  async delete(scope: Scope, rows: readonly number[]): Promise<void> {
    await this.#environment.write(() => {
      const counters = this.scope(scope);
      if (counters === undefined) return;
      for (const row of new Set(rows)) this.#remove(counters, row);
      counters.deletions++;
      if (counters.turns === 0) this.#removeScope(scope, counters.id);
      else this.#tables.scopes.putSync(scopeKey(scope), scopeCodec.encode(counters));
    });
  }

  /** Deletes a whole scope in one durable transaction. O(turns of the scope). */
  async deleteScope(scope: Scope): Promise<void> {
    await this.#environment.write(() => {
      const counters = this.scope(scope);
      if (counters !== undefined) this.#removeScope(scope, counters.id);
    });
  }

  /** Turns by event time, oldest first; ties by arrival. */
  *walk(scopeId: number, span: TimeSpan = {}): Generator<{ row: number; turn: Turn }> {
    const { start, end } = scopeRange(scopeId);
    const to = span.to === undefined ? end : timeKey(scopeId, span.to, 0);
    let from: Buffer | undefined = span.from === undefined ? start : timeKey(scopeId, span.from, 0);
    while (from !== undefined) {
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
    while (from !== undefined) {
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

  vector(scopeId: number, row: number): Float32Array | undefined {
    const bytes = this.#tables.vectors.get(rowKey(scopeId, row));
    return bytes && new Float32Array(new Uint8Array(bytes).buffer);
  }

  #newScope(scope: Scope): ScopeRecord {
    const id = this.#tables.meta.get(NEXT_SCOPE)?.readUInt32BE(0) ?? 0;
    this.#tables.meta.putSync(NEXT_SCOPE, uint32s(id + 1));
    return { id, ...scope, nextRow: 0, turns: 0, nextSession: 0, nextSpeaker: 0, deletions: 0 };
  }

  #put(counters: ScopeRecord, indexed: IndexedTurn): void {
    const { turn, vector } = indexed;
    const row = counters.nextRow++;
    counters.turns++;
    const key = rowKey(counters.id, row);
    const sessionKey = nameKey(counters.id, turn.session);
    const known = this.#tables.sessions.get(sessionKey);
    const session = known ? sessionCodec.decode(known) : { ordinal: counters.nextSession++, lastRow: 0 };
    const record: RowRecord = {
      at: turn.at,
      session: session.ordinal,
      speaker: this.#addSpeaker(counters, turn.speaker),
      previous: session.lastRow,
      flags: indexed.flags,
      termHashes: bytesOf(indexed.termHashes),
      termCounts: bytesOf(indexed.termCounts),
      length: indexed.length,
    };
    this.#tables.sessions.putSync(sessionKey, sessionCodec.encode({ ...session, lastRow: row + 1 }));
    this.#tables.turns.putSync(key, turnCodec.encode(toTurnRecord(turn)));
    this.#tables.turnIds.putSync(nameKey(counters.id, turn.id), uint32s(row));
    this.#tables.rows.putSync(key, rowCodec.encode(record));
    this.#tables.vectors.putSync(key, bytesOf(vector));
    this.#tables.timeline.putSync(timeKey(counters.id, turn.at, row), Buffer.alloc(0));
  }

  /** Counts one more turn of the speaker and returns the speaker's ordinal. */
  #addSpeaker(counters: ScopeRecord, name: string): number {
    const { ordinal, turns } = this.#speaker(counters.id, name) ?? {
      ordinal: counters.nextSpeaker++,
      turns: 0,
    };
    this.#tables.speakers.putSync(nameKey(counters.id, name), uint32s(ordinal, turns + 1));
    return ordinal;
  }

  /** Counts one turn less; the name goes with the last one. */
  #removeSpeaker(scopeId: number, name: string): void {
    const key = nameKey(scopeId, name);
    const speaker = this.#speaker(scopeId, name);
    if (speaker === undefined) return;
    if (speaker.turns === 1) this.#tables.speakers.removeSync(key);
    else this.#tables.speakers.putSync(key, uint32s(speaker.ordinal, speaker.turns - 1));
  }

  #speaker(scopeId: number, name: string): { ordinal: number; turns: number } | undefined {
    const value = this.#tables.speakers.get(nameKey(scopeId, name));
    return value && { ordinal: value.readUInt32BE(0), turns: value.readUInt32BE(4) };
  }

  #removeScope(scope: Scope, scopeId: number): void {
    const { sessions, speakers, turns, turnIds, rows, vectors, timeline } = this.#tables;
    for (const table of [sessions, speakers, turns, turnIds, rows, vectors, timeline]) {
      for (const key of [...table.getKeys(scopeRange(scopeId))]) table.removeSync(key);
    }
    this.#tables.scopes.removeSync(scopeKey(scope));
  }

  #remove(counters: ScopeRecord, row: number): void {
    const key = rowKey(counters.id, row);
    const turn = this.turn(counters.id, row);
    const record = this.#row(counters.id, row);
    if (turn === undefined || record === undefined) return;
    this.#unlink(counters.id, turn.session, row, record);
    this.#removeSpeaker(counters.id, turn.speaker);
    this.#tables.timeline.removeSync(timeKey(counters.id, turn.at, row));
    this.#tables.turnIds.removeSync(nameKey(counters.id, turn.id));
    for (const table of [this.#tables.turns, this.#tables.rows, this.#tables.vectors]) table.removeSync(key);
    counters.turns--;
  }

  /** Takes a row out of its session's order: the turn after it now follows the turn before it. */
  #unlink(scopeId: number, sessionName: string, row: number, record: RowRecord): void {
    const sessionKey = nameKey(scopeId, sessionName);
    const value = this.#tables.sessions.get(sessionKey);
    const session = value && sessionCodec.decode(value);
    if (session?.lastRow === row + 1) {
      if (record.previous === 0) this.#tables.sessions.removeSync(sessionKey);
      else
        this.#tables.sessions.putSync(
          sessionKey,
          sessionCodec.encode({ ...session, lastRow: record.previous }),
        );
      return;
    }
    const { end } = scopeRange(scopeId);
    for (const entry of this.#tables.rows.getRange({ start: rowKey(scopeId, row + 1), end })) {
      const next = rowCodec.decode(entry.value);
      if (next.session !== record.session) continue;
      this.#tables.rows.putSync(entry.key, rowCodec.encode({ ...next, previous: record.previous }));
      return;
    }
  }

  #row(scopeId: number, row: number): RowRecord | undefined {
    const value = this.#tables.rows.get(rowKey(scopeId, row));
    return value && rowCodec.decode(value);
  }
}

/** Where the page after a full one begins: just behind its last key. */
function nextPage(keys: readonly Buffer[]): Buffer | undefined {
  const last = keys.at(-1);
  return last === undefined || keys.length < PAGE ? undefined : Buffer.concat([last, Buffer.alloc(1)]);
}

function uint32s(...values: number[]): Buffer {
  const bytes = Buffer.allocUnsafe(values.length * 4);
  for (const [position, value] of values.entries()) bytes.writeUInt32BE(value, position * 4);
  return bytes;
}

function bytesOf(array: Float32Array | Uint32Array | Uint16Array): Buffer {
  return Buffer.from(array.buffer, array.byteOffset, array.byteLength);
}
