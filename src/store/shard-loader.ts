// Leading a shard after its scope on disk, in steps that hold the event loop for a few milliseconds each.

import { OntomemError } from '../errors.js';
import { compactShard, followRows, followSegment } from '../native/shard.js';
import type { Followed, FollowStep, ShardPosition } from '../native/types.js';
import type { Environment } from './environment.js';
import type { ScopeRecord } from './records.js';
import { isCurrent, type ResidentShard } from './resident-shard.js';
import { DeletionLog } from './turns/deletion-log.js';
import { readRowBatch } from './turns/row-batch.js';
import { type Segment, Segments } from './turns/segments.js';

/** A slice ends with the first step that takes it past this: nothing may hold the event loop for 10 ms. */
const SLICE_MS = 4;
/** Row records read in one step, about 1.5 ms; a segment holds 256 and takes 1 ms. */
const ROWS_A_STEP = 128;

/**
 * What a slice came to: `current`; `more` to do; `busy`, as another thread is writing the shard; `lost`, as
 * the shard was evicted or cannot follow what changed: it has to be loaded anew.
 */
export type Slice = 'current' | 'more' | 'busy' | 'lost';

/**
 * Reads and follows; keeps no state of any shard. Every step is all or nothing, so that a failure between two
 * of them leaves a shard that stands somewhere, and the next load goes on from there.
 */
export class ShardLoader {
  readonly #environment: Environment;
  readonly #segments: Segments;
  readonly #deletions: DeletionLog;
  readonly #dimension: number;
  /** Scopes whose segments were damaged or did not agree with the records. */
  readonly #distrusted = new Set<number>();

  constructor(environment: Environment, dimension: number) {
    this.#environment = environment;
    this.#segments = new Segments(environment.tables);
    this.#deletions = new DeletionLog(environment.tables);
    this.#dimension = dimension;
  }

  /**
   * Steps until the shard is current, the slice is used up or it is `dueAt`. All steps read one state of the disk.
   */
  slice(shard: ResidentShard, record: ScopeRecord, dueAt: number): Slice {
    this.#environment.assertOpen();
    const end = performance.now() + SLICE_MS;
    do {
      const at = shard.position();
      if (at === undefined) return 'lost';
      if (isCurrent(at, record)) return this.#agrees(at, record) ? 'current' : 'lost';
      // The first step and the last one however late it is: most users fit into one, and what is newest is asked for most.
      const isFewer = at.nextStored === 0 || record.nextRow - at.nextStored <= ROWS_A_STEP;
      if (!isFewer && performance.now() > dueAt) return 'more';
      const followed = this.#step(shard, record, at);
      if (followed === undefined) return 'lost';
      if (followed.compactionDue) compactShard(shard.handle);
      if (!followed.done) return 'busy';
    } while (performance.now() < end);
    return 'more';
  }

  /** False once, when the segments held other rows than the records do: they are not asked again. */
  #agrees(at: ShardPosition & { live: number }, record: ScopeRecord): boolean {
    const isSameState = at.nextStored === record.nextRow && at.changes === record.deletions;
    if (!isSameState || at.live === record.turns || this.#distrusted.has(record.id)) return true;
    this.#distrusted.add(record.id);
    return false;
  }

  /** What went comes first: rows that came later were linked on disk without it. */
  #step(shard: ResidentShard, record: ScopeRecord, from: ShardPosition): Followed | undefined {
    const isFirst = from.nextStored === 0;
    if (!isFirst && from.changes < record.deletions) {
      const forgotten = this.#deletions.between(record.id, from.changes, record.deletions);
      const to = { nextStored: from.nextStored, changes: record.deletions };
      return forgotten && followRows(shard.handle, { from, to, forgotten });
    }
    const changes = isFirst ? record.deletions : from.changes;
    const stepTo = (nextStored: number): FollowStep => ({
      from: { nextStored: from.nextStored, changes: from.changes },
      to: { nextStored, changes },
      expectedRows: record.turns,
    });
    const segment = this.#distrusted.has(record.id)
      ? undefined
      : this.#segments.next(record.id, from.nextStored);
    if (segment?.first === from.nextStored) return this.#followSegment(shard, stepTo(segment.end), segment);
    const end = segment?.first ?? record.nextRow;
    const rows = readRowBatch(this.#environment.tables, record.id, from.nextStored, end, ROWS_A_STEP);
    return followRows(shard.handle, stepTo(rows.next), rows);
  }

  #followSegment(shard: ResidentShard, step: FollowStep, segment: Segment): Followed {
    const bytes = this.#segments.read(segment);
    try {
      if (bytes !== undefined) return followSegment(shard.handle, step, this.#dimension, bytes);
    } catch (error) {
      if (!(error instanceof OntomemError && error.code === 'NATIVE_BAD_ARGUMENT')) throw error;
    }
    this.#distrusted.add(shard.scopeId);
    return { done: true, compactionDue: false };
  }
}
