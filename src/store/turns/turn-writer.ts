// The turns of a store on disk, written: append, replace, delete, each in one durable transaction.
import type { Scope } from '../../contract/scope.js';
import type { Turn } from '../../contract/turn.js';
import { noteForgetting } from '../compaction.js';
import type { Environment } from '../environment.js';
import { nameKey, rowKey, scopeKey, timeKey } from '../keys.js';
import {
  type RowRecord,
  rowCodec,
  type ScopeRecord,
  scopeCodec,
  sessionCodec,
  toTurnRecord,
  turnCodec,
} from '../records.js';
import type { Tables } from '../tables.js';
import { DeletionLog } from './deletion-log.js';
import { ForgottenScopes } from './forgotten-scopes.js';
import { type Segment, Segments } from './segments.js';
import type { TurnReader } from './turn-reader.js';

/** A turn ready to be written: its text side, its lexical side and its vector. */
export interface IndexedTurn {
  turn: Turn;
  vector: Float32Array;
  flags: number;
  termHashes: Uint32Array;
  termCounts: Uint16Array;
  length: number;
}

/** Staging and handing over so many takes 4 ms, and nothing may hold the event loop for 10. */
const ROWS_A_DELETION = 200;
const NEXT_SCOPE = Buffer.from('next-scope');

export class TurnWriter {
  readonly #environment: Environment;
  readonly #tables: Tables;
  readonly #reader: TurnReader;
  readonly #segments: Segments;
  readonly #deletions: DeletionLog;
  readonly #forgotten: ForgottenScopes;

  constructor(environment: Environment, reader: TurnReader) {
    this.#environment = environment;
    this.#tables = environment.tables;
    this.#reader = reader;
    this.#segments = new Segments(environment.tables);
    this.#deletions = new DeletionLog(environment.tables);
    this.#forgotten = new ForgottenScopes(environment.tables);
  }

  /**
   * Appends turns in one durable transaction; a turn whose id is already stored is left as it is.
   * NEXT order is the order of arrival within a session, whatever the clocks say. O(turns · log n).
   */
  async append(scope: Scope, turns: readonly IndexedTurn[]): Promise<void> {
    await this.#environment.write(() => {
      const counters = this.#reader.scope(scope) ?? this.#newScope(scope);
      for (const indexed of turns) {
        if (this.#reader.rowOf(counters.id, indexed.turn.id) === undefined) this.#put(counters, indexed);
      }
      this.#tables.scopes.putSync(scopeKey(scope), scopeCodec.encode(counters));
    });
    await this.#packTail(scope, turns.length);
  }

  /** Replaces what a turn says beside its text; nothing else of it changes. */
  async replace(scopeId: number, row: number, turn: Turn): Promise<void> {
    await this.#environment.write(() => {
      this.#tables.turns.putSync(rowKey(scopeId, row), turnCodec.encode(toTurnRecord(turn)));
      noteForgetting(this.#tables);
    });
  }

  /** Replaces the vectors of rows; `vectors` is rows.length x dimension. */
  async replaceVectors(scope: Scope, rows: readonly number[], vectors: Float32Array): Promise<void> {
    const dimension = vectors.length / rows.length;
    await this.#environment.write(() => {
      const counters = this.#reader.scope(scope);
      if (counters === undefined) return;
      for (const [position, row] of rows.entries()) {
        const vector = vectors.subarray(position * dimension, (position + 1) * dimension);
        this.#tables.vectors.putSync(rowKey(counters.id, row), bytesOf(vector));
      }
      this.#segments.drop(counters.id, rows);
      // Not in the deletion log: rows in memory cannot follow new vectors.
      counters.deletions++;
      this.#tables.scopes.putSync(scopeKey(scope), scopeCodec.encode(counters));
    });
  }

  /**
   * Deletes rows with everything that hangs on them; a scope whose last turn goes is gone. Many rows go in
   * several durable transactions, so that the event loop is not held: killed in the middle, those that went
   * are gone for good and the others are as they were. O(rows · log n).
   */
  async delete(scope: Scope, rows: readonly number[]): Promise<void> {
    const all = [...new Set(rows)].sort((a, b) => a - b);
    const dropped: Segment[] = [];
    for (let at = 0; at < all.length; at += ROWS_A_DELETION) {
      const part = all.slice(at, at + ROWS_A_DELETION);
      const isLast = at + ROWS_A_DELETION >= all.length;
      await this.#environment.write(() => {
        const counters = this.#reader.scope(scope);
        if (counters === undefined) return;
        this.#removeRows(counters, part);
        dropped.push(...this.#segments.drop(counters.id, part));
        if (counters.turns === 0) this.#removeScope(scope, counters.id);
        else this.#tables.scopes.putSync(scopeKey(scope), scopeCodec.encode(counters));
        if (isLast) this.#segments.packAgain(counters.id, dropped);
      });
    }
  }

  /**
   * Hides a whole scope from every reader, in one small durable transaction; what is stored of it is left to the
   * `Sweeper`. The next turns of the same names are another scope's. O(log n).
   */
  async hideScope(scope: Scope): Promise<void> {
    await this.#environment.write(() => {
      const counters = this.#reader.scope(scope);
      if (counters !== undefined) this.#removeScope(scope, counters.id);
    });
  }

  /**
   * Packs what has filled a segment, in a transaction of its own: with the turns it would hold the event loop for too
   * long. Where it fails the turns are stored all the same, and the next load packs them.
   */
  async #packTail(scope: Scope, appended: number): Promise<void> {
    const pack = () => {
      const counters = this.#reader.scope(scope);
      if (counters !== undefined) this.#segments.packTail(counters, appended);
    };
    await this.#environment.write(pack).catch(() => undefined);
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
    const session = known ? sessionCodec.decode(known) : { ordinal: counters.nextSession++, turns: 0 };
    const record: RowRecord = {
      at: turn.at,
      session: session.ordinal,
      speaker: this.#addSpeaker(counters, turn.speaker),
      flags: indexed.flags,
      termHashes: bytesOf(indexed.termHashes),
      termCounts: bytesOf(indexed.termCounts),
      length: indexed.length,
    };
    this.#tables.sessions.putSync(sessionKey, sessionCodec.encode({ ...session, turns: session.turns + 1 }));
    this.#tables.turns.putSync(key, turnCodec.encode(toTurnRecord(turn)));
    this.#tables.turnIds.putSync(nameKey(counters.id, turn.id), uint32s(row));
    this.#tables.rows.putSync(key, rowCodec.encode(record));
    this.#tables.vectors.putSync(key, bytesOf(vector));
    this.#tables.timeline.putSync(timeKey(counters.id, turn.at, row), Buffer.alloc(0));
  }

  /** Counts one more turn of the speaker and returns the speaker's ordinal. */
  #addSpeaker(counters: ScopeRecord, name: string): number {
    const { ordinal, turns } = this.#reader.speaker(counters.id, name) ?? {
      ordinal: counters.nextSpeaker++,
      turns: 0,
    };
    this.#tables.speakers.putSync(nameKey(counters.id, name), uint32s(ordinal, turns + 1));
    return ordinal;
  }

  #removeScope(scope: Scope, scopeId: number): void {
    this.#forgotten.mark(scopeId);
    this.#tables.scopes.removeSync(scopeKey(scope));
  }

  #removeRows(counters: ScopeRecord, rows: readonly number[]): void {
    const { timeline, turnIds, turns, rows: records, vectors } = this.#tables;
    const sessions = new Map<string, number>();
    const speakers = new Map<string, number>();
    const count = (of: Map<string, number>, name: string) => of.set(name, (of.get(name) ?? 0) + 1);
    for (const row of rows) {
      const key = rowKey(counters.id, row);
      const turn = this.#reader.turn(counters.id, row);
      if (turn === undefined) continue;
      count(sessions, turn.session);
      count(speakers, turn.speaker);
      timeline.removeSync(timeKey(counters.id, turn.at, row));
      turnIds.removeSync(nameKey(counters.id, turn.id));
      for (const table of [turns, records, vectors]) table.removeSync(key);
      counters.turns--;
    }
    for (const [name, gone] of sessions) this.#removeFromSession(counters.id, name, gone);
    for (const [name, gone] of speakers) this.#removeFromSpeaker(counters.id, name, gone);
    counters.deletions++;
    this.#deletions.record(counters, rows);
    noteForgetting(this.#tables);
  }

  /** Counts turns less; the session goes with the last one. */
  #removeFromSession(scopeId: number, name: string, gone: number): void {
    const key = nameKey(scopeId, name);
    const value = this.#tables.sessions.get(key);
    if (value === undefined) return;
    const session = sessionCodec.decode(value);
    if (session.turns <= gone) this.#tables.sessions.removeSync(key);
    else this.#tables.sessions.putSync(key, sessionCodec.encode({ ...session, turns: session.turns - gone }));
  }

  /** Counts turns less; the name goes with the last one. */
  #removeFromSpeaker(scopeId: number, name: string, gone: number): void {
    const key = nameKey(scopeId, name);
    const speaker = this.#reader.speaker(scopeId, name);
    if (speaker === undefined) return;
    if (speaker.turns <= gone) this.#tables.speakers.removeSync(key);
    else this.#tables.speakers.putSync(key, uint32s(speaker.ordinal, speaker.turns - gone));
  }
}

function uint32s(...values: number[]): Buffer {
  const bytes = Buffer.allocUnsafe(values.length * 4);
  for (const [position, value] of values.entries()) bytes.writeUInt32BE(value, position * 4);
  return bytes;
}

function bytesOf(array: Float32Array | Uint32Array | Uint16Array): Buffer {
  return Buffer.from(array.buffer, array.byteOffset, array.byteLength);
}
