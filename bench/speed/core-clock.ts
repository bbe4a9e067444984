// What the main thread used of a core, and how long it wanted one and had none: the two parts of every time measured on
// a shared machine.
import { closeSync, openSync, readSync } from 'node:fs';

/** Linux counts both for each thread; elsewhere nothing is taken to have been waited for. */
export class CoreClock {
  readonly #file: number | undefined = open();
  readonly #bytes = Buffer.alloc(128);

  /** Milliseconds since the thread began; reading them takes some microseconds. */
  read(): { used: number; waited: number } {
    if (this.#file === undefined) return { used: performance.now(), waited: 0 };
    const length = readSync(this.#file, this.#bytes, 0, this.#bytes.length, 0);
    const [usedNs, waitedNs] = this.#bytes.toString('latin1', 0, length).split(' ');
    return { used: Number(usedNs) / 1e6, waited: Number(waitedNs) / 1e6 };
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
  }
}

function open(): number | undefined {
  try {
    return openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  } catch {
    return undefined;
  }
}
