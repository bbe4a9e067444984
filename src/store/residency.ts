// Which scopes are in memory: loaded on first use, kept in step with the disk, evicted by bytes.
import type { EncoderIdentity } from '../contract/encoder.js';
import type { Scope } from '../contract/scope.js';
import { closeShard, evictionCandidates, openShard, residentBytes, shardInfo } from '../native/shard.js';
import type { ShardHandle } from '../native/types.js';
import { refuseOtherEncoder } from './encoder-record.js';
import type { Environment } from './environment.js';
import { scopeKey } from './keys.js';
import { ResidentShard } from './resident-shard.js';
import type { TurnReader } from './turns/turn-reader.js';

/** A scope's shard together with the id its turns are stored under. */
export interface Resident {
  scopeId: number;
  shard: ResidentShard;
}

export class Residency {
  readonly #environment: Environment;
  readonly #log: TurnReader;
  readonly #encoder: EncoderIdentity;
  readonly #limitBytes: number;
  readonly #shards = new Map<string, ResidentShard>();
  readonly #keys = new Map<ShardHandle, string>();

  constructor(environment: Environment, log: TurnReader, encoder: EncoderIdentity, limitBytes: number) {
    this.#environment = environment;
    this.#log = log;
    this.#encoder = encoder;
    this.#limitBytes = limitBytes;
  }

  /**
   * The scope's shard with everything that is committed, also by another process; undefined when
   * nothing is stored. O(1) when it is in memory and up to date, O(turns) to load it.
   * @throws ENCODER_MISMATCH when the store was re-encoded by another process since it was opened.
   */
  shard(scope: Scope): Resident | undefined {
    const record = this.#log.scope(scope);
    const key = scopeKey(scope).toString('latin1');
    let shard = this.#shards.get(key);
    if (shard !== undefined && (record === undefined || !shard.fits(record))) {
      this.#close(key, shard);
      shard = undefined;
    }
    if (record === undefined) return undefined;
    if (shard === undefined) {
      refuseOtherEncoder(this.#environment, this.#encoder);
      const { dimension } = this.#encoder;
      const handle = openShard(this.#environment.instanceKey, Buffer.from(key, 'latin1'), dimension, 'f32');
      shard = new ResidentShard(handle, record, dimension);
      this.#shards.set(key, shard);
      this.#keys.set(handle, key);
    }
    const before = shard.rows;
    shard.catchUp(record, this.#log);
    if (shard.rows !== before) this.#makeRoom(shard);
    return { scopeId: record.id, shard };
  }

  /** Takes a scope out of memory; it is loaded again when asked for. */
  drop(scope: Scope): void {
    const key = scopeKey(scope).toString('latin1');
    const shard = this.#shards.get(key);
    if (shard !== undefined) this.#close(key, shard);
  }

  /** Bytes of one scope's shard, or of all of this process. */
  bytes(scope?: Scope): number {
    if (scope === undefined) return residentBytes();
    const shard = this.#shards.get(scopeKey(scope).toString('latin1'));
    return shard === undefined ? 0 : shardInfo(shard.handle).bytes;
  }

  close(): void {
    for (const [key, shard] of this.#shards) this.#close(key, shard);
  }

  /** Evicts the least recently used shards of this store but `kept` until the limit holds. */
  #makeRoom(kept: ResidentShard): void {
    for (const handle of evictionCandidates(this.#limitBytes)) {
      const key = this.#keys.get(handle);
      const shard = key === undefined ? undefined : this.#shards.get(key);
      if (key !== undefined && shard !== undefined && shard !== kept) this.#close(key, shard);
    }
  }

  #close(key: string, shard: ResidentShard): void {
    this.#shards.delete(key);
    this.#keys.delete(shard.handle);
    closeShard(shard.handle);
  }
}
