// What the attackers have promised each other: a file of short lines, written before and after each call.
import { closeSync, existsSync, openSync, readSync, writeSync } from 'node:fs';

/** begun, acknowledged: an observe or an import; forgetting, forgotten: a forget. */
export type Mark = 'begun' | 'stored' | 'forgetting' | 'forgotten';

const MARKS: Record<string, Mark> = { b: 'begun', s: 'stored', f: 'forgetting', g: 'forgotten' };
const LETTERS: Record<Mark, string> = { begun: 'b', stored: 's', forgetting: 'f', forgotten: 'g' };

/** Appends marks; each line is one write, so those of several processes do not mix. */
export class LedgerWriter {
  readonly #file: number;

  constructor(path: string) {
    this.#file = openSync(path, 'a');
  }

  mark(mark: Mark, user: string, numbers: readonly number[]): void {
    writeSync(this.#file, numbers.map((n) => `${LETTERS[mark]} ${user} ${n}\n`).join(''));
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** What was promised of one user's turns, as far as the ledger has been read. */
export interface Promised {
  stored: Set<number>;
  forgetting: Set<number>;
  forgotten: Set<number>;
  /** The highest number that was ever begun. */
  highest: number;
}

/** Reads what was appended since the last call. */
export class LedgerReader {
  readonly #path: string;
  readonly #users = new Map<string, Promised>();
  #at = 0;
  #rest = '';

  constructor(path: string) {
    this.#path = path;
  }

  read(): void {
    if (!existsSync(this.#path)) return;
    const file = openSync(this.#path, 'r');
    const chunk = Buffer.alloc(1 << 16);
    for (let length = 1; length > 0; ) {
      length = readSync(file, chunk, 0, chunk.length, this.#at);
      this.#at += length;
      const lines = (this.#rest + chunk.toString('latin1', 0, length)).split('\n');
      this.#rest = lines.pop() ?? '';
      for (const line of lines) this.#take(line);
    }
    closeSync(file);
  }

  of(user: string): Promised {
    let promised = this.#users.get(user);
    if (promised === undefined) {
      promised = { stored: new Set(), forgetting: new Set(), forgotten: new Set(), highest: -1 };
      this.#users.set(user, promised);
    }
    return promised;
  }

  #take(line: string): void {
    const [letter = '', user = '', digits = ''] = line.split(' ');
    const mark = MARKS[letter];
    const number = Number(digits);
    const promised = this.of(user);
    promised.highest = Math.max(promised.highest, number);
    if (mark === 'stored') promised.stored.add(number);
    if (mark === 'forgetting') promised.forgetting.add(number);
    if (mark === 'forgotten') promised.forgotten.add(number);
  }
}
