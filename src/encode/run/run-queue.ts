// Which batch runs next: one of passages at a time, and queries beside it, since somebody waits for them.

/** Queries that run at the same time; more would slow each other down. */
const QUERIES_AT_ONCE = 2;

/** Orders the runs of one encoder. Within a kind, first come, first served. */
export class RunQueue {
  readonly #queries = new Lane(QUERIES_AT_ONCE);
  readonly #passages = new Lane(1);

  run<T>(urgent: boolean, task: () => Promise<T>): Promise<T> {
    return (urgent ? this.#queries : this.#passages).run(task);
  }
}

/** At most `width` tasks at a time. */
class Lane {
  #running = 0;
  readonly #waiting: Array<() => void> = [];

  readonly #width: number;

  constructor(width: number) {
    this.#width = width;
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#width) await new Promise<void>((go) => this.#waiting.push(go));
    else this.#running++;
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}
