// One table of a store: reads come from LMDB, writes are staged and go there with the next commit.
import type { Database } from 'lmdb';

/** Keys from `start` on, before `end`. */
export interface KeyRange {
  start?: Buffer;
  end?: Buffer;
  limit?: number;
  /** From `start` downwards, `end` excluded. */
  reverse?: boolean;
}

export interface Entry {
  key: Buffer;
  value: Buffer;
}

/** A write that waits for its commit; without a value the key is removed. */
export interface StagedWrite {
  key: Buffer;
  value: Buffer | undefined;
}

/** What a table asks of the environment before and around each read. */
export interface ReadGuard {
  /** Runs a read; what it throws becomes a typed error. */
  read<T>(kind: 'read' | 'range', action: () => T): T;
}

type Layer = Map<string, StagedWrite>;

export class Table {
  readonly #guard: ReadGuard;
  #database: Database<Buffer, Buffer> | undefined;
  /** Writes of the actions of a group that are done, and of the action that runs. */
  #group: Layer = new Map();
  #action: Layer | undefined;

  constructor(guard: ReadGuard) {
    this.#guard = guard;
  }

  /** Reads from now on come from `database`. */
  bind(database: Database<Buffer, Buffer>): void {
    this.#database = database;
  }

  get(key: Buffer): Buffer | undefined {
    const staged = this.#staged(key);
    if (staged !== undefined) return staged.value;
    return this.#guard.read('read', () => this.#database?.get(key));
  }

  /**
   * As get, without a copy where LMDB has one to lend: valid until the next read of this thread. Not for what
   * the running action has staged.
   */
  view(key: Buffer): Uint8Array | undefined {
    const bytes = this.#guard.read('read', () => this.#database?.getBinaryFast(key));
    // lmdb reuses one buffer and overrides its length, which native code does not see.
    return bytes && new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /** Keys in order; the values, which may be large, are not read where nothing is staged. */
  *getKeys(range: KeyRange = {}): Generator<Buffer> {
    if (this.#stagedIn(range).length === 0) {
      yield* this.#guard.read('range', () => [...(this.#database?.getKeys(plain(range)) ?? [])]);
      return;
    }
    for (const { key } of this.getRange(range)) yield key;
  }

  getKeysCount(range: KeyRange): number {
    return this.#guard.read('range', () => this.#database?.getKeysCount(range) ?? 0);
  }

  /** Entries in order of their keys, with what is staged. */
  *getRange(range: KeyRange = {}): Generator<Entry> {
    const staged = this.#stagedIn(range);
    if (staged.length === 0) {
      yield* this.#stored(range);
      return;
    }
    const merged = mergedEntries(this.#stored({ ...range, limit: Number.POSITIVE_INFINITY }), staged, range);
    let left = range.limit ?? Number.POSITIVE_INFINITY;
    for (const entry of merged) {
      if (left-- <= 0) return;
      yield entry;
    }
  }

  /** Stages a write of the running action. */
  putSync(key: Buffer, value: Buffer | Uint8Array): void {
    this.#stage(key, Buffer.from(value.buffer, value.byteOffset, value.byteLength));
  }

  /** Stages the removal of a key by the running action. */
  removeSync(key: Buffer): void {
    this.#stage(key, undefined);
  }

  /** An action begins: what it stages can be taken back. */
  beginAction(): void {
    this.#action = new Map();
  }

  /** The action is done: its writes are part of the group, or of nothing. */
  endAction(keep: boolean): void {
    if (keep) for (const [name, write] of this.#action ?? []) this.#group.set(name, write);
    this.#action = undefined;
  }

  /** The group's writes, taken out. */
  takeWrites(): StagedWrite[] {
    const writes = [...this.#group.values()];
    this.#group = new Map();
    return writes;
  }

  #stage(key: Buffer, value: Buffer | undefined): void {
    if (this.#action === undefined) throw new Error('a write outside of Environment.write');
    this.#action.set(nameOf(key), { key, value });
  }

  #staged(key: Buffer): StagedWrite | undefined {
    if (this.#action === undefined) return undefined;
    const name = nameOf(key);
    return this.#action.get(name) ?? this.#group.get(name);
  }

  #stagedIn({ start, end, reverse = false }: KeyRange): StagedWrite[] {
    if (this.#action === undefined) return [];
    const [low, high] = reverse ? [end, start] : [start, end];
    const writes = new Map([...this.#group, ...this.#action]);
    return [...writes.values()]
      .filter(({ key }) => isFrom(key, low, reverse) && isBefore(key, high, reverse))
      .sort((a, b) => (reverse ? Buffer.compare(b.key, a.key) : Buffer.compare(a.key, b.key)));
  }

  *#stored(range: KeyRange): Generator<Entry> {
    const entries = this.#guard.read('range', () =>
      this.#database?.getRange(plain(range))[Symbol.iterator](),
    );
    if (entries === undefined) return;
    try {
      for (;;) {
        const { value, done } = this.#guard.read('range', () => entries.next());
        if (done) return;
        yield value as Entry;
      }
    } finally {
      // An open cursor keeps LMDB from reusing pages.
      entries.return?.();
    }
  }
}

/** LMDB takes an endless limit for none at all only when it is absent. */
function plain({ limit, ...range }: KeyRange): KeyRange {
  return limit === undefined || limit === Number.POSITIVE_INFINITY ? range : { ...range, limit };
}

function nameOf(key: Buffer): string {
  return key.toString('latin1');
}

function isFrom(key: Buffer, low: Buffer | undefined, open: boolean): boolean {
  if (low === undefined) return true;
  const order = Buffer.compare(key, low);
  return open ? order > 0 : order >= 0;
}

function isBefore(key: Buffer, high: Buffer | undefined, closed: boolean): boolean {
  if (high === undefined) return true;
  const order = Buffer.compare(key, high);
  return closed ? order <= 0 : order < 0;
}

/** Both in the order of the walk; a staged write stands for the stored entry of its key. */
function* mergedEntries(
  stored: Iterable<Entry>,
  staged: readonly StagedWrite[],
  { reverse = false }: KeyRange,
): Generator<Entry> {
  const comesFirst = (a: Buffer, b: Buffer) => (reverse ? Buffer.compare(b, a) : Buffer.compare(a, b)) < 0;
  let next = 0;
  for (const entry of stored) {
    for (let write = staged[next]; write !== undefined && comesFirst(write.key, entry.key); ) {
      if (write.value !== undefined) yield { key: write.key, value: write.value };
      write = staged[++next];
    }
    const write = staged[next];
    if (write === undefined || !write.key.equals(entry.key)) {
      yield entry;
      continue;
    }
    next++;
    if (write.value !== undefined) yield { key: write.key, value: write.value };
  }
  for (const { key, value } of staged.slice(next)) if (value !== undefined) yield { key, value };
}
