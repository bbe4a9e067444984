// Who goes next: what is due first, and of what is due at the same time what came first.

interface Waiting<T> {
  dueAt: number;
  item: T;
}

/** Items by when they are due, on the clock of `performance.now()`. */
export class DueQueue<T> {
  readonly #waiting: Array<Waiting<T>> = [];

  get length(): number {
    return this.#waiting.length;
  }

  /** O(1) for what is due last. */
  add(item: T, dueAt: number): void {
    const place = this.#waiting.findLastIndex((before) => before.dueAt <= dueAt) + 1;
    this.#waiting.splice(place, 0, { dueAt, item });
  }

  /** Takes the first one out. */
  next(): T | undefined {
    return this.#waiting.shift()?.item;
  }
}
