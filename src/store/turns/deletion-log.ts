// Which rows went with each change of a scope, so that whoever holds the scope need not load it again.
import { rowKey } from '../keys.js';
import type { ScopeRecord } from '../records.js';
import type { Tables } from '../tables.js';

/** Changes remembered of a scope. A reader that lags further behind loads the scope again. */
const LONGEST = 1024;

/**
 * Change number n of a scope is the one that raised its `deletions` to n. A change without an entry is one
 * that rows in memory cannot follow, such as new vectors.
 */
export class DeletionLog {
  readonly #tables: Tables;

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  /** Notes what went with the change that `counters` has just counted. Inside a write transaction. */
  record({ id, deletions }: ScopeRecord, rows: readonly number[]): void {
    const value = Uint32Array.from(rows);
    this.#tables.deletions.putSync(rowKey(id, deletions), Buffer.from(value.buffer));
    if (deletions > LONGEST) this.#tables.deletions.removeSync(rowKey(id, deletions - LONGEST));
  }

  /** Rows that went after change `from` up to change `to`; undefined when that cannot be told any more. */
  between(scopeId: number, from: number, to: number): Uint32Array | undefined {
    const values: Uint8Array[] = [];
    for (let change = from + 1; change <= to; change++) {
      const value = this.#tables.deletions.get(rowKey(scopeId, change));
      if (value === undefined) return undefined;
      values.push(value);
    }
    return new Uint32Array(new Uint8Array(Buffer.concat(values)).buffer);
  }
}
