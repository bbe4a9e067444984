// Long work on the thread in pieces: others get their turn in between.
import { setImmediate as nextTick } from 'node:timers/promises';

/** How long a call may hold the event loop before it lets others in. */
const HELD_MS = 3;

/** One a call, made when its work begins. */
export class Breather {
  #since = performance.now();

  /** Lets the event loop go round once, if the call has held it for a while. */
  async breathe(): Promise<void> {
    if (performance.now() - this.#since < HELD_MS) return;
    await nextTick();
    this.#since = performance.now();
  }
}
