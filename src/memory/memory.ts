// The Memory face: wires the phases together and holds no logic of its own.
import type { ArchiveRecord } from '../contract/archive.js';
import type {
  AmendRequest,
  ForgetRequest,
  Imported,
  ImportRequest,
  Observed,
  ObserveRequest,
} from '../contract/ingest.js';
import type { Limits } from '../contract/limits.js';
import type { Compacted, OpenOptions, Stats, TurnsRequest } from '../contract/memory.js';
import type { Recall, RecallRequest } from '../contract/recall.js';
import type { Scope } from '../contract/scope.js';
import type { Turn } from '../contract/turn.js';
import { amend } from '../ingest/amend.js';
import { exportScope } from '../ingest/export.js';
import { forget } from '../ingest/forget.js';
import { importScope } from '../ingest/import.js';
import { observe } from '../ingest/observe.js';
import type { IngestParts } from '../ingest/parts.js';
import { readAmend, readExport, readForget, readImport, readObserve } from '../ingest/requests.js';
import type { RecallParts } from '../retrieve/parts.js';
import { recall, recallMany } from '../retrieve/recall.js';
import { readRecall, readRecalls } from '../retrieve/request.js';
import { refuseOtherEncoder } from '../store/encoder-record.js';
import type { Environment } from '../store/environment.js';
import { stats } from '../store/stats.js';
import { CallGate } from './call-gate.js';
import { closeParts, type InternalOptions, type OpenedParts, openParts } from './parts.js';
import { type Listing, readOpen, readStats, readTurns } from './requests.js';
import { ScopeQueue } from './scope-queue.js';

/**
 * Opens a store and its encoder.
 * @throws ENCODER_MISMATCH, STORE_LOCKED, STORE_NEWER, STORE_CORRUPT, STORE_UNWRITABLE, ENCODER_INVALID.
 * @example const memory = await openMemory({ path: './memory' });
 */
export async function openMemory(options: OpenOptions): Promise<Memory>;
/** @internal */
export async function openMemory(options: OpenOptions, internal: InternalOptions): Promise<Memory>;
export async function openMemory(options: OpenOptions, internal: InternalOptions = {}): Promise<Memory> {
  return Memory.open(options, internal);
}

/** Long-term memory of many users in one folder. Every method takes one object with a scope. */
export class Memory implements AsyncDisposable {
  readonly #environment: Environment;
  readonly #parts: IngestParts & RecallParts;
  readonly #opened: OpenedParts;
  readonly #queue = new ScopeQueue();
  readonly #gate: CallGate;
  #closing: Promise<void> | undefined;

  /** Private, so that the types of what it is made of stay inside. */
  private constructor(opened: OpenedParts) {
    this.#opened = opened;
    this.#environment = opened.environment;
    this.#parts = opened.parts;
    this.#gate = new CallGate(opened.environment.path);
  }

  /** See `openMemory`. @internal */
  static async open(options: OpenOptions, internal: InternalOptions): Promise<Memory> {
    return new Memory(await openParts(readOpen(options), internal));
  }

  // Every method reads its request while it is called, before anything is awaited: what the caller changes
  // afterwards changes nothing.

  /**
   * Stores turns; durable when it resolves. See `ObserveRequest` for invalid turns. Each distinct new text is
   * encoded once: O(tokens).
   * @throws STORE_CLOSED, STORE_READ_ONLY, SCOPE_INVALID, INVALID_ARGUMENT, TEXT_TOO_LONG, TEXT_INVALID, DATE_INVALID,
   * TURN_CONFLICT, ENCODER_INVALID, ENCODER_FAILED, ENCODER_MISMATCH, STORE_UNWRITABLE, ABORTED.
   */
  async observe(request: ObserveRequest): Promise<Observed> {
    return this.#write(readObserve(request, this.#limits()), (asked) => observe(this.#parts, asked));
  }

  /**
   * Finds the turns that bear on a query, best first; ties: newer turn, then arrival. One encoder pass, then
   * O(turns x dimension) in the native core.
   * @throws STORE_CLOSED, SCOPE_INVALID, INVALID_ARGUMENT, TEXT_TOO_LONG, TEXT_INVALID, DATE_INVALID, ENCODER_INVALID,
   * ENCODER_FAILED, ENCODER_MISMATCH, ABORTED.
   */
  async recall(request: RecallRequest): Promise<Recall> {
    const asked = readRecall(request, this.#limits());
    return this.#read(() => recall(this.#parts, asked));
  }

  /**
   * Answers many queries with one encoder pass; answers stand in the order of the requests.
   * @throws as `recall`, naming the request as `requests[n]`; no answer is given then.
   */
  async recallMany(requests: readonly RecallRequest[]): Promise<Recall[]> {
    const asked = readRecalls(requests, this.#limits());
    return this.#read(() => recallMany(this.#parts, asked));
  }

  /**
   * Turns in the order in which they were said, read as they are asked for. A bad request throws here, not at
   * the first turn.
   * @throws STORE_CLOSED, SCOPE_INVALID, INVALID_ARGUMENT, DATE_INVALID.
   */
  turns(request: TurnsRequest): AsyncGenerator<Turn> {
    this.#gate.assertOpen();
    return this.#list(readTurns(request));
  }

  /**
   * Merges metadata into a stored turn (JSON merge patch) and returns the turn.
   * @throws STORE_CLOSED, STORE_READ_ONLY, SCOPE_INVALID, INVALID_ARGUMENT, NOT_FOUND, STORE_UNWRITABLE.
   */
  async amend(request: AmendRequest): Promise<Turn> {
    return this.#write(readAmend(request, this.#limits()), (asked) => amend(this.#parts, asked));
  }

  /**
   * Forgets a turn, a session or a whole user, everywhere: when it resolves, no reader sees them any more. A user's
   * turns are then deleted in the background (killed meanwhile, the next opening for writing goes on). The bytes of
   * what was forgotten stay in free pages of the data file until it is compacted: by itself here when half of the file is free and that is 16 MiB, at `close` when
   * a quarter of it is free or it is no larger than 32 MiB, or when `compact` is called.
   * @throws STORE_CLOSED, STORE_READ_ONLY, SCOPE_INVALID, INVALID_ARGUMENT, NOT_FOUND, STORE_UNWRITABLE.
   */
  async forget(request: ForgetRequest): Promise<{ forgotten: number }> {
    this.#gate.assertOpen();
    return this.#write(readForget(request), async (asked) => {
      const forgotten = await forget(this.#parts, asked);
      this.#opened.sweeper.start();
      await this.#environment.compactIfDue(false);
      return forgotten;
    });
  }

  /**
   * Writes the data file anew without what is free in it: afterwards no file of the store holds anything of
   * what was forgotten. Writes wait until it is done, reads go on, also in other processes. Needs room for a
   * copy of what is stored. O(bytes of the store).
   * @throws STORE_CLOSED, STORE_READ_ONLY, STORE_UNWRITABLE (the store is then as it was).
   * @example const { bytesBefore, bytesAfter } = await memory.compact();
   */
  async compact(): Promise<Compacted> {
    return this.#gate.pass(async () => {
      await this.#opened.sweeper.finish();
      return this.#environment.compact();
    });
  }

  /**
   * Everything stored of a scope, as records that `import` takes. A bad request throws here.
   * @throws STORE_CLOSED, SCOPE_INVALID, INVALID_ARGUMENT; while it runs ENCODER_MISMATCH.
   */
  export(request: { scope: Scope }): AsyncGenerator<ArchiveRecord> {
    this.#gate.assertOpen();
    return this.#export(readExport(request));
  }

  /**
   * Writes exported records; nothing is written unless the whole archive is sound.
   * @throws STORE_CLOSED, STORE_READ_ONLY, SCOPE_INVALID, INVALID_ARGUMENT, SOURCE_INVALID, SOURCE_TRUNCATED, TURN_CONFLICT,
   * ENCODER_INVALID, ENCODER_FAILED, ENCODER_MISMATCH, STORE_UNWRITABLE.
   */
  async import(request: ImportRequest): Promise<Imported> {
    this.#gate.assertOpen();
    const asked = readImport(request);
    return this.#gate.pass(() =>
      importScope(
        this.#parts,
        {
          inTurn: (scope, task) => this.#queue.run(scope, task),
          makeSpoolFolder: () => this.#environment.makeSpoolFolder(),
        },
        asked,
      ),
    );
  }

  /**
   * Counts and bytes of the store, or of one scope.
   * @throws STORE_CLOSED, SCOPE_INVALID, INVALID_ARGUMENT, ENCODER_MISMATCH.
   */
  async stats(request: { scope?: Scope } = {}): Promise<Stats> {
    this.#gate.assertOpen();
    const scope = readStats(request);
    await this.#environment.refresh();
    this.#refuseOtherEncoder();
    return stats(
      this.#environment,
      this.#parts.log,
      this.#parts.residency,
      this.#parts.encoder.identity,
      scope,
    );
  }

  /**
   * Finishes what was asked for, then closes the store; a second call waits for the first.
   * @throws STORE_UNWRITABLE when a compaction that was due fails; the store is closed and whole then.
   */
  async close(): Promise<void> {
    this.#closing ??= this.#finish();
    return this.#closing;
  }

  /** For `await using`. @throws as `close`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #finish(): Promise<void> {
    await this.#gate.close();
    await closeParts(this.#opened);
  }

  /** The limits of an open memory. @throws STORE_CLOSED. */
  #limits(): Limits {
    this.#gate.assertOpen();
    return this.#parts.limits;
  }

  async *#list({ scope, session, span }: Listing): AsyncGenerator<Turn> {
    await this.#environment.refresh();
    const found = this.#parts.log.scope(scope);
    if (found === undefined) return;
    for (const { turn } of this.#parts.log.walk(found.id, span)) {
      if (session === undefined || turn.session === session) yield turn;
    }
  }

  async *#export(scope: Scope): AsyncGenerator<ArchiveRecord> {
    await this.#environment.refresh();
    this.#refuseOtherEncoder();
    for await (const record of exportScope(this.#parts, scope)) {
      // After it was read: another process may begin to re-encode while this goes on.
      this.#refuseOtherEncoder();
      yield record;
    }
  }

  /** @throws ENCODER_MISMATCH when another process re-encoded the store since it was opened. */
  #refuseOtherEncoder(): void {
    refuseOtherEncoder(this.#environment, this.#parts.encoder.identity);
  }

  /** Runs a read on the files that are the store's now. */
  async #read<T>(task: () => Promise<T>): Promise<T> {
    return this.#gate.pass(async () => {
      if (!this.#environment.look()) await this.#environment.refresh();
      return task();
    });
  }

  async #write<A extends { scope: Scope }, T>(asked: A, task: (asked: A) => Promise<T>): Promise<T> {
    return this.#gate.pass(() => this.#queue.run(asked.scope, () => task(asked)));
  }
}
