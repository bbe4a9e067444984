// A group of writes as one LMDB transaction: staged first, then handed over whole, so that no JavaScript
// runs inside the transaction and a thread that ends cannot leave one open.
import { isHeld } from '../breather.js';
import type { FileRoom } from './file-room.js';
import { TABLE_NAMES, type Tables, type TableWrites } from './tables.js';
import type { OpenTables } from './usage.js';

/** One call of `Environment.write` that waits for its commit. */
export interface PendingWrite {
  action: () => unknown;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

/** A write whose action is done, and what it gave. */
interface DoneWrite extends PendingWrite {
  result: unknown;
}

/**
 * Runs actions one after the other, takes them out of `waiting`, and stops when they have held the event loop for long
 * enough; one that throws is rejected and stages nothing.
 */
export function stageGroup(tables: Tables, waiting: PendingWrite[]): DoneWrite[] {
  const all = TABLE_NAMES.map((name) => tables[name]);
  const done: DoneWrite[] = [];
  for (
    let pending = waiting.shift();
    pending !== undefined;
    pending = isHeld() ? undefined : waiting.shift()
  ) {
    for (const table of all) table.beginAction();
    let keep = false;
    try {
      done.push({ ...pending, result: pending.action() });
      keep = true;
    } catch (error) {
      pending.reject(error);
    } finally {
      for (const table of all) table.endAction(keep);
    }
  }
  return done;
}

/**
 * Commits and flushes; resolves when it is on the disk. `inOrder`: the keys follow all those of their tables.
 * @throws what LMDB or the operating system says; then nothing was written.
 */
export async function commitWrites(
  { root, databases, room }: OpenTables & { room: FileRoom },
  writes: TableWrites,
  { inOrder = false } = {},
): Promise<void> {
  room.take({ root, databases }, writes, inOrder);
  // LMDB's own thread waits for ever after a transaction that could not begin: try one here first.
  root.transactionSync(() => undefined);
  try {
    await root.batch(() => {
      for (const [name, staged] of writes) {
        const database = databases[name];
        for (const { key, value } of staged) {
          if (value === undefined) database.remove(key);
          else database.put(key, value);
        }
      }
    });
  } catch (error) {
    throw await commitError(error);
  }
}

/** lmdb says why a commit failed in a promise of its own, which fails the process when nobody looks. */
async function commitError(error: unknown): Promise<unknown> {
  try {
    await (error as { commitError?: Promise<unknown> } | undefined)?.commitError;
    return error;
  } catch (cause) {
    return cause;
  }
}
