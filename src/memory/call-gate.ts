// Calls under way: let in while the memory is open, waited for when it closes.
import { storeClosed } from '../store/store-errors.js';

/** Closing turns new calls away and waits for those inside. */
export class CallGate {
  readonly #path: string;
  readonly #inside = new Set<Promise<unknown>>();
  #open = true;

  constructor(path: string) {
    this.#path = path;
  }

  /** @throws STORE_CLOSED. */
  assertOpen(): void {
    if (!this.#open) throw storeClosed(this.#path);
  }

  /** Runs `call`, which close then waits for. @throws STORE_CLOSED. */
  async pass<T>(call: () => Promise<T>): Promise<T> {
    this.assertOpen();
    const running = call();
    this.#inside.add(running);
    try {
      return await running;
    } finally {
      this.#inside.delete(running);
    }
  }

  async close(): Promise<void> {
    this.#open = false;
    await Promise.allSettled(this.#inside);
  }
}
