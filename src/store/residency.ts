// Which scopes are in memory: loaded on first use, kept in step with the disk, evicted by bytes.
import { statfsSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { breathe, isHeld } from '../breather.js';
import type { EncoderIdentity } from '../contract/encoder.js';
import type { Scope } from '../contract/scope.js';
import { OntomemError } from '../errors.js';
import { evictShard, makeRoom, openShard, residentBytes } from '../native/shard.js';
import type { VectorFormat } from '../native/types.js';
import { refuseOtherEncoder } from './encoder-record.js';
import type { Environment } from './environment.js';
import { rowKey, scopeKey } from './keys.js';
import type { ScopeRecord } from './records.js';
import { isCurrent, ResidentShard } from './resident-shard.js';
import { ShardLoader, type Slice } from './shard-loader.js';
import { SEGMENT_ROWS, Segments } from './turns/segments.js';
import type { TurnReader } from './turns/turn-reader.js';

/** A scope's shard together with the id its turns are stored under. */
export interface Resident {
  scopeId: number;
  shard: ResidentShard;
  /** False when time was up before all of the scope was in memory: the shard holds its older turns. */
  complete: boolean;
}

/** How long to let another thread go on with a shard that it is writing. */
const BUSY_MS = 1;
/** Free space without which nothing is packed in the background. */
const LEAST_SPARE_BYTES = 64 * 1024 ** 2;
/** Times a scope is loaded for one call; evicted so often, the limit on resident bytes is too small. */
const MOST_ATTEMPTS = 16;
/** Shards this thread holds handles of before it looks which of them others have evicted. */
const LEAST_SWEPT = 64;

export class Residency {
  readonly #environment: Environment;
  readonly #log: TurnReader;
  readonly #encoder: EncoderIdentity;
  readonly #limitBytes: number;
  readonly #format: VectorFormat;
  readonly #loader: ShardLoader;
  readonly #segments: Segments;
  /** The data file that the shards held are of. */
  #dataFile = '';
  readonly #shards = new Map<string, ResidentShard>();
  /** Evictions since the last sweep. */
  #evicted = 0;
  #packing: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(
    environment: Environment,
    log: TurnReader,
    encoder: EncoderIdentity,
    limitBytes: number,
    format: VectorFormat = 'f32',
  ) {
    this.#environment = environment;
    this.#log = log;
    this.#encoder = encoder;
    this.#limitBytes = limitBytes;
    this.#format = format;
    this.#loader = new ShardLoader(environment, encoder.dimension);
    this.#segments = new Segments(environment.tables);
  }

  /**
   * The scope's shard with everything that is committed, also by another process or thread; undefined when
   * nothing is stored. O(1) when it is in memory and up to date. Loading yields to the event loop every few
   * milliseconds and stops with what there is at `dueAt` on the clock of `performance.now()`; the next call goes on
   * from there.
   * @throws ENCODER_MISMATCH when the store was re-encoded by another process since it was opened.
   */
  async load(scope: Scope, dueAt = Number.POSITIVE_INFINITY): Promise<Resident | undefined> {
    let wasEmpty = false;
    let grew = false;
    for (;;) {
      const record = this.#log.scope(scope);
      const shard = this.#open(scope, record);
      if (record === undefined || shard === undefined) return undefined;
      const before = shard.position();
      wasEmpty ||= before?.nextStored === 0;
      // Before the slice: twenty who wait for the same scope would each hold the loop for one.
      const isToLoad = before !== undefined && !isCurrent(before, record);
      if (isToLoad && isHeld() && performance.now() < dueAt) {
        await breathe(dueAt);
        continue;
      }
      const slice = this.#slice(shard, record, dueAt);
      grew ||= shard.position()?.nextStored !== before?.nextStored;
      const isOver = slice === 'current' || (slice !== 'lost' && performance.now() > dueAt);
      // Only by what is done: two loads that made room in every slice would evict each other for ever.
      if (isOver && grew) this.#makeRoom(shard);
      if (slice === 'current') {
        if (wasEmpty && record.turns >= SEGMENT_ROWS) this.#packWhatIsNot(scope);
        return { scopeId: record.id, shard, complete: true };
      }
      if (isOver) return { scopeId: record.id, shard, complete: false };
      if (slice === 'lost') this.#evict(scope);
      if (slice === 'busy') await setTimeout(BUSY_MS);
      else await breathe(dueAt);
    }
  }

  /** A shard that another thread evicted meanwhile is lost too. */
  #slice(shard: ResidentShard, record: ScopeRecord, dueAt: number): Slice {
    try {
      return this.#loader.slice(shard, record, dueAt);
    } catch (error) {
      if (isEvicted(error)) return 'lost';
      throw error;
    }
  }

  /** Loads and acts on what was loaded, again when another thread evicted it between the two. */
  async use<T>(scope: Scope, dueAt: number, action: (resident: Resident | undefined) => T): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const resident = await this.load(scope, dueAt);
      try {
        return action(resident);
      } catch (error) {
        if (!isEvicted(error) || attempt === MOST_ATTEMPTS) throw error;
      }
    }
  }

  /** Takes a scope out of memory, for every thread; it is loaded again when asked for. */
  drop(scope: Scope): void {
    if (this.#shards.has(nameOf(scope))) this.#evict(scope);
  }

  /** Bytes of one scope's shard, or of all of this process. */
  bytes(scope?: Scope): number {
    if (scope === undefined) return residentBytes();
    return this.#shards.get(nameOf(scope))?.bytes ?? 0;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#packing;
    for (const [name, shard] of this.#shards) this.#close(name, shard);
  }

  /** The shard as this thread holds it, opened when it does not; undefined when nothing is stored. */
  #open(scope: Scope, record: ScopeRecord | undefined): ResidentShard | undefined {
    this.#dropOfOtherFiles();
    const name = nameOf(scope);
    const held = this.#shards.get(name);
    if (held !== undefined && held.scopeId === record?.id) return held;
    if (held !== undefined) this.#close(name, held);
    if (record === undefined) return undefined;
    refuseOtherEncoder(this.#environment, this.#encoder);
    const { dimension } = this.#encoder;
    // With the scope's id: a user who was forgotten and came back is another one.
    const handle = openShard(this.#storeKey(), rowKey(record.id, 0), dimension, this.#format);
    const shard = new ResidentShard(handle, record.id);
    this.#shards.set(name, shard);
    return shard;
  }

  /** Other files may hold another history under the same ids, or vectors of another encoder. */
  #dropOfOtherFiles(): void {
    const dataFile = this.#environment.dataFile();
    if (dataFile === this.#dataFile) return;
    this.#dataFile = dataFile;
    for (const [name, shard] of this.#shards) this.#close(name, shard);
  }

  /**
   * Names the open data file, however it was reached, and what its vectors are, for all threads of the
   * process. By the file and not by the store's id alone, which a copy that was restored shares.
   */
  #storeKey(): string {
    return JSON.stringify([this.#dataFile, this.#environment.storeId(), this.#encoder, this.#format]);
  }

  #makeRoom(kept: ResidentShard): void {
    this.#evicted += makeRoom(kept.handle, this.#limitBytes);
    if (this.#evicted < LEAST_SWEPT || this.#evicted < this.#shards.size / 2) return;
    this.#evicted = 0;
    for (const [name, shard] of this.#shards) if (shard.position() === undefined) this.#close(name, shard);
  }

  /** What was loaded from row records is packed, one segment a commit, so that the next load is fast. */
  #packWhatIsNot(scope: Scope): void {
    if (this.#environment.readOnly || this.#closed || !hasRoomToSpare(this.#environment.path)) return;
    const packOne = () => {
      const record = this.#log.scope(scope);
      return record !== undefined && this.#segments.packGap(record);
    };
    const packAll = async () => {
      while (!this.#closed && (await this.#environment.write(packOne)));
    };
    // Where a commit fails the scope stays as it is, whole and slower to load.
    this.#packing = this.#packing.then(packAll).catch(() => undefined);
  }

  #evict(scope: Scope): void {
    const name = nameOf(scope);
    const shard = this.#shards.get(name);
    if (shard === undefined) return;
    if (shard.position() === undefined) {
      this.#close(name, shard);
      return;
    }
    evictShard(shard.handle);
    this.#shards.delete(name);
  }

  #close(name: string, shard: ResidentShard): void {
    this.#shards.delete(name);
    shard.close();
  }
}

/** Copies that only save time are not what a disk should fill up with. */
function hasRoomToSpare(path: string): boolean {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize >= LEAST_SPARE_BYTES;
}

function nameOf(scope: Scope): string {
  return scopeKey(scope).toString('latin1');
}

function isEvicted(error: unknown): boolean {
  return error instanceof OntomemError && error.code === 'NATIVE_STALE_HANDLE';
}
