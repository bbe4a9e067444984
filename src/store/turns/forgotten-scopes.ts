// Scopes that were forgotten whole: a mark hides one at once, and what is stored of it goes in parts.
import { noteForgetting } from '../compaction.js';
import { scopeRange } from '../keys.js';
import type { Tables } from '../tables.js';

/** In `meta`, with the scope's id behind it: nothing of this scope may be seen any more. */
const MARK = Buffer.from('forgotten-scope');
/** Removing so many takes 4 ms, and nothing may hold the event loop for 10. */
const KEYS_A_PART = 1500;

/** Methods that write run inside a write transaction. */
export class ForgottenScopes {
  readonly #tables: Tables;

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  /** What is stored under this id is hidden from now on. */
  mark(scopeId: number): void {
    this.#tables.meta.putSync(markKey(scopeId), Buffer.alloc(0));
    noteForgetting(this.#tables);
  }

  has(scopeId: number): boolean {
    return this.#tables.meta.get(markKey(scopeId)) !== undefined;
  }

  /** A marked scope of which something may be left; undefined when there is none. */
  first(): number | undefined {
    const range = { start: MARK, end: markKey(0xffffffff), limit: 1 };
    return [...this.#tables.meta.getKeys(range)][0]?.readUInt32BE(MARK.length);
  }

  /** Removes a part of what is left of the scope, and with the last part its mark. O(the part). */
  removePart(scopeId: number): void {
    const { sessions, speakers, turns, turnIds, rows, vectors, timeline, segments, deletions } = this.#tables;
    let left = KEYS_A_PART;
    noteForgetting(this.#tables);
    for (const table of [sessions, speakers, turns, turnIds, rows, vectors, timeline, segments, deletions]) {
      for (const key of [...table.getKeys({ ...scopeRange(scopeId), limit: left })]) {
        table.removeSync(key);
        left--;
      }
      if (left === 0) return;
    }
    this.#tables.meta.removeSync(markKey(scopeId));
  }
}

function markKey(scopeId: number): Buffer {
  const id = Buffer.allocUnsafe(4);
  id.writeUInt32BE(scopeId, 0);
  return Buffer.concat([MARK, id]);
}
