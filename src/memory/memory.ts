// The Memory face: wires the phases together and holds no logic of its own.
import { z } from 'zod';
import { check, checkMoment, momentSchema } from '../contract/check.js';
import type { Compacted } from '../contract/compacted.js';
import type { Encoder } from '../contract/encoder.js';
import { DEFAULT_LIMITS, type Limits, limitsSchema } from '../contract/limits.js';
import type { Recall, RecallRequest } from '../contract/recall.js';
import { type Scope, scopeSchema } from '../contract/scope.js';
import type { Turn } from '../contract/turn.js';
import { openEncoder } from '../encode/open-encoder.js';
import { type AmendRequest, amend } from '../ingest/amend.js';
import type { ArchiveRecord } from '../ingest/archive.js';
import { exportScope } from '../ingest/export.js';
import { type ForgetRequest, forget } from '../ingest/forget.js';
import { type Imported, type ImportRequest, importScope } from '../ingest/import.js';
import { type IngestParts, type Observed, type ObserveRequest, observe } from '../ingest/observe.js';
import { reencode } from '../ingest/reencode.js';
import { EncoderScale } from '../retrieve/encoder-scale.js';
import { openQueryLift } from '../retrieve/query-lift.js';
import { type RecallParts, recall, recallMany } from '../retrieve/recall.js';
import { denseFirst, type RecallPlan } from '../retrieve/strategy.js';
import { bindEncoder } from '../store/encoder-record.js';
import { Environment } from '../store/environment.js';
import type { Faults } from '../store/faults.js';
import { Residency } from '../store/residency.js';
import { type Stats, stats } from '../store/stats.js';
import { TurnReader } from '../store/turns/turn-reader.js';
import { TurnWriter } from '../store/turns/turn-writer.js';
import { CallGate } from './call-gate.js';
import { ScopeQueue } from './scope-queue.js';

export interface OpenOptions {
  /** Folder of the store; made when absent. */
  path: string;
  /** An encoder's registered name or model folder, or an open one. Default: the bundled MiniLM. */
  encoder?: string | Encoder;
  limits?: Partial<Limits>;
  /** Open without the right to write; any number of processes may. */
  readOnly?: boolean;
  /** Re-encode a store that was written with another encoder, instead of refusing it. */
  reencode?: boolean;
}

export interface TurnsRequest {
  scope: Scope;
  session?: string;
  /** Half-open span of event time. */
  from?: Date | string | number;
  to?: Date | string | number;
}

const openSchema = z.strictObject({
  path: z.string().min(1),
  encoder: z
    .union([
      z.string().min(1),
      z.custom<Encoder>((value) => typeof value === 'object' && value !== null && 'encode' in value),
    ])
    .optional(),
  limits: limitsSchema.optional(),
  readOnly: z.boolean().optional(),
  reencode: z.boolean().optional(),
});
const turnsSchema = z.strictObject({
  scope: scopeSchema,
  session: z.string().optional(),
  from: momentSchema.optional(),
  to: momentSchema.optional(),
});

/**
 * Opens a store and its encoder.
 * @throws ENCODER_MISMATCH, STORE_LOCKED, STORE_NEWER, STORE_CORRUPT, STORE_UNWRITABLE, ENCODER_INVALID.
 * @example const memory = await openMemory({ path: './memory' });
 */
export async function openMemory(options: OpenOptions, internal: InternalOptions = {}): Promise<Memory> {
  const {
    path,
    encoder: wanted,
    limits,
    readOnly = false,
    reencode: mayReencode = false,
  } = check(openSchema, options, 'openMemory');
  const environment = await Environment.open(path, { readOnly, ...internal });
  try {
    const encoder = typeof wanted === 'object' ? wanted : await openEncoder(wanted);
    if (mayReencode) await reencode(environment, encoder);
    else await bindEncoder(environment, encoder.identity);
    const scale = await EncoderScale.measure(encoder);
    return new Memory({
      environment,
      encoder,
      scale,
      plan: denseFirst(scale, openQueryLift(encoder.identity)),
      limits: { ...DEFAULT_LIMITS, ...limits } as Limits,
      ownsEncoder: typeof wanted !== 'object',
    });
  } catch (error) {
    await environment.close();
    throw error;
  }
}

/** What tests may set. @internal */
export interface InternalOptions {
  faults?: Faults;
}

/** What opening brought together. */
interface Opened {
  environment: Environment;
  encoder: Encoder;
  scale: EncoderScale;
  plan: RecallPlan;
  limits: Limits;
  ownsEncoder: boolean;
}

/** Long-term memory of many users in one folder. Every method takes one object with a scope. */
export class Memory implements AsyncDisposable {
  readonly #environment: Environment;
  readonly #parts: IngestParts & RecallParts;
  readonly #queue = new ScopeQueue();
  readonly #ownsEncoder: boolean;
  readonly #gate: CallGate;
  #closing: Promise<void> | undefined;

  /** Use `openMemory`. @internal */
  constructor({ environment, encoder, scale, plan, limits, ownsEncoder }: Opened) {
    this.#environment = environment;
    this.#gate = new CallGate(environment.path);
    this.#ownsEncoder = ownsEncoder;
    const log = new TurnReader(environment);
    const writer = new TurnWriter(environment, log);
    const residency = new Residency(environment, log, encoder.identity, limits.residentBytes);
    this.#parts = { log, writer, encoder, residency, limits, scale, plan };
  }

  /** Stores turns; durable when it resolves. See `ObserveRequest` for invalid turns. */
  async observe(request: ObserveRequest): Promise<Observed> {
    return this.#write(request, () => observe(this.#parts, request));
  }

  /** Finds the turns that bear on a query. */
  async recall(request: RecallRequest): Promise<Recall> {
    return this.#read(() => recall(this.#parts, request));
  }

  /** Answers many queries with one encoder pass; answers stand in the order of the requests. */
  async recallMany(requests: readonly RecallRequest[]): Promise<Recall[]> {
    return this.#read(() => recallMany(this.#parts, requests));
  }

  /** Turns in the order in which they were said. */
  async *turns(request: TurnsRequest): AsyncGenerator<Turn> {
    this.#gate.assertOpen();
    const { scope, session, from, to } = check(turnsSchema, request, 'turns');
    await this.#environment.refresh();
    const found = this.#parts.log.scope(scope);
    if (found === undefined) return;
    const span = {
      ...(from === undefined ? {} : { from: checkMoment(from, 'turns.from') }),
      ...(to === undefined ? {} : { to: checkMoment(to, 'turns.to') }),
    };
    for (const { turn } of this.#parts.log.walk(found.id, span)) {
      if (session === undefined || turn.session === session) yield turn;
    }
  }

  /** Merges metadata into a stored turn. */
  async amend(request: AmendRequest): Promise<Turn> {
    return this.#write(request, () => amend(this.#parts, request));
  }

  /**
   * Forgets a turn, a session or a whole user, everywhere. Their bytes stay in free pages of the data file
   * until it is compacted: by itself here when half of the file is free and that is 16 MiB, at `close` when
   * a quarter of it is free or it is no larger than 32 MiB, or when `compact` is called.
   */
  async forget(request: ForgetRequest): Promise<{ forgotten: number }> {
    return this.#write(request, async () => {
      const forgotten = await forget(this.#parts, request);
      await this.#environment.compactIfDue(false);
      return forgotten;
    });
  }

  /**
   * Writes the data file anew without what is free in it: afterwards no file of the store holds anything of
   * what was forgotten. Writes wait until it is done, reads go on, also in other processes. Needs room for a
   * copy of what is stored. O(bytes of the store).
   * @throws STORE_READ_ONLY, STORE_UNWRITABLE (the store is then as it was).
   * @example const { bytesBefore, bytesAfter } = await memory.compact();
   */
  async compact(): Promise<Compacted> {
    return this.#gate.pass(() => this.#environment.compact());
  }

  /** Everything stored of a scope, as records that `import` takes. */
  async *export(request: { scope: Scope }): AsyncGenerator<ArchiveRecord> {
    this.#gate.assertOpen();
    const scope = check(scopeSchema, request?.scope, 'scope');
    await this.#environment.refresh();
    yield* exportScope(this.#parts, scope);
  }

  /** Writes exported records; nothing is written unless the whole archive is sound. */
  async import(request: ImportRequest): Promise<Imported> {
    return this.#gate.pass(() =>
      importScope(
        this.#parts,
        {
          inTurn: (scope, task) => this.#queue.run(scope, task),
          makeSpoolFolder: () => this.#environment.makeSpoolFolder(),
        },
        request,
      ),
    );
  }

  /** Counts and bytes of the store, or of one scope. */
  async stats(request: { scope?: Scope } = {}): Promise<Stats> {
    this.#gate.assertOpen();
    const scope = request.scope === undefined ? undefined : check(scopeSchema, request.scope, 'scope');
    await this.#environment.refresh();
    return stats(
      this.#environment,
      this.#parts.log,
      this.#parts.residency,
      this.#parts.encoder.identity,
      scope,
    );
  }

  /** Finishes what was asked for, then closes the store. */
  async close(): Promise<void> {
    this.#closing ??= this.#finish();
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #finish(): Promise<void> {
    await this.#gate.close();
    this.#parts.residency.close();
    try {
      await this.#environment.compactIfDue(true);
    } finally {
      await this.#environment.close();
      if (this.#ownsEncoder) await this.#parts.encoder.close();
    }
  }

  /** Runs a read on the files that are the store's now. */
  async #read<T>(task: () => Promise<T>): Promise<T> {
    return this.#gate.pass(async () => {
      if (!this.#environment.look()) await this.#environment.refresh();
      return task();
    });
  }

  async #write<T>(request: { scope: Scope }, task: () => Promise<T>): Promise<T> {
    return this.#gate.pass(async () => this.#queue.run(check(scopeSchema, request?.scope, 'scope'), task));
  }
}
