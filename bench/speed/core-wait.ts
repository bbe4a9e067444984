// How long the main thread wanted to run and had no core: what a shared machine adds to every time that is measured.
import { closeSync, openSync, readSync } from 'node:fs';

/** Linux counts it for each thread; elsewhere it is taken for nothing. */
export class CoreWait {
  readonly #file: number | undefined = open();
  readonly #bytes = Buffer.alloc(128);

  /** Milliseconds since the thread began. Reading it takes some microseconds. */
  ms(): number {
    if (this.#file === undefined) return 0;
    const length = readSync(this.#file, this.#bytes, 0, this.#bytes.length, 0);
    const [, waitedNs] = this.#bytes.toString('latin1', 0, length).split(' ');
    return Number(waitedNs) / 1e6;
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
