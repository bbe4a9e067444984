// Which batch runs next: passages one at a time, queries beside them, and queries with a deadline beside both.
import { DueQueue } from '../../due-queue.js';

/** Queries that run at the same time: on 2 cores two give 1.3 times what one gives. More would slow each other down. */
const QUERIES_AT_ONCE = 2;

/** What a run is for. */
export interface RunKind {
  isQuery: boolean;
  /** When nobody waits for it any more, on the clock of `performance.now()`; undefined when that is never. */
  dueAt: number | undefined;
}

/**
 * Orders the runs of one encoder. Queries with a deadline wait for each other alone, what is due first before the
 * others: behind two that can wait, 20 ms would be over. Of the rest, first come, first served.
 */
export class RunQueue {
  readonly #due = new Lane(QUERIES_AT_ONCE);
  readonly #queries = new Lane(QUERIES_AT_ONCE);
  readonly #passages = new Lane(1);

  run<T>({ isQuery, dueAt }: RunKind, task: () => Promise<T>): Promise<T> {
    if (dueAt !== undefined) return this.#due.run(dueAt, task);
    return (isQuery ? this.#queries : this.#passages).run(Number.POSITIVE_INFINITY, task);
  }
}

/** At most `width` tasks at a time. */
class Lane {
  #running = 0;
  readonly #waiting = new DueQueue<() => void>();

  readonly #width: number;

  constructor(width: number) {
    this.#width = width;
  }

  async run<T>(dueAt: number, task: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#width) await new Promise<void>((go) => this.#waiting.add(go, dueAt));
    else this.#running++;
    try {
      return await task();
    } finally {
      const next = this.#waiting.next();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}
