// One scope's native shard, as a thread holds it: a handle, and questions to it. All state is native.
import { closeShard, type shardPosition as position, shardInfo, shardPosition } from '../native/shard.js';
import type { ShardHandle } from '../native/types.js';
import type { ScopeRecord } from './records.js';

export class ResidentShard {
  readonly handle: ShardHandle;
  readonly scopeId: number;

  constructor(handle: ShardHandle, scopeId: number) {
    this.handle = handle;
    this.scopeId = scopeId;
  }

  /** Where it stands; undefined when another thread evicted it. */
  position(): ReturnType<typeof position> {
    return shardPosition(this.handle);
  }

  /** Turns it holds. */
  get rows(): number {
    return this.position()?.live ?? 0;
  }

  get bytes(): number {
    return this.position() === undefined ? 0 : shardInfo(this.handle).bytes;
  }

  close(): void {
    closeShard(this.handle);
  }
}

/** Whether a shard has all that `record` counts; it may have more, which another thread saw committed. */
export function isCurrent(at: { nextStored: number; changes: number }, record: ScopeRecord): boolean {
  return at.nextStored >= record.nextRow && at.changes >= record.deletions;
}
