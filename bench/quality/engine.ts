// ontomem itself as an arm asks it: a store in a temporary folder, written and asked by what `Memory` calls.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Encoder } from '../../src/contract/encoder.js';
import type { Recall } from '../../src/contract/recall.js';
import type { Scope } from '../../src/contract/scope.js';
import { observe } from '../../src/ingest/observe.js';
import { closeParts, type OpenedParts, openParts } from '../../src/memory/parts.js';
import { readOpen } from '../../src/memory/requests.js';
import { recall } from '../../src/retrieve/recall.js';
import { readRecall } from '../../src/retrieve/request.js';
import type { RecallPlan } from '../../src/retrieve/strategy.js';
import type { PreparedConversation, RankQuery } from './arm.js';
import type { BenchQuery } from './dataset.js';

/** Deep enough for every metric, and what a first stage hands to a second. */
const DEPTH = 64;

export interface Asking {
  /** Turns wanted at most. */
  limit: number;
  /** Give the parts of every score. */
  explain?: boolean;
  /** Read instead of the query's own. */
  vector?: Float32Array;
}

/** Holds every conversation that was measured, each as a user of its own, until it is closed. */
export class Engine {
  readonly #encoder: Encoder;
  #opening: Promise<{ folder: string; opened: OpenedParts }> | undefined;
  readonly #scopes = new WeakMap<PreparedConversation, Scope>();
  #users = 0;

  /** The encoder stays the caller's. Nothing is opened before the first question. */
  constructor(encoder: Encoder) {
    this.#encoder = encoder;
  }

  /** What is served: the strategy as data, with the encoder's scale and lift. */
  async plan(): Promise<RecallPlan> {
    return (await this.#parts()).plan;
  }

  /** Ranks by the recall under a plan, `depth` turns at most. */
  async ranker(conversation: PreparedConversation, plan: RecallPlan, depth = DEPTH): Promise<RankQuery> {
    const bytesAtRest = await this.#bytesOf(conversation);
    return async (query) => {
      const { evidence, cost } = await this.ask(conversation, query, plan, { limit: depth });
      return {
        ids: evidence.map(({ turnId }) => turnId),
        cost: { candidatesScored: cost.scored, bytesAtRest },
      };
    };
  }

  /** One recall, at the time of the question, of the conversation so far. */
  async ask(
    conversation: PreparedConversation,
    { text, context = [], at }: BenchQuery,
    plan: RecallPlan,
    { limit, explain = false, vector }: Asking,
  ): Promise<Recall> {
    const parts = await this.#parts();
    const request = {
      scope: await this.#scopeOf(conversation),
      query: text,
      context,
      limit,
      explain,
      ...(at === undefined ? {} : { asOf: at }),
    };
    const encoder = vector === undefined ? parts.encoder : givenVector(parts.encoder, vector);
    return recall({ ...parts, encoder, plan }, readRecall(request, parts.limits));
  }

  async close(): Promise<void> {
    const open = await this.#opening;
    if (open === undefined) return;
    await closeParts(open.opened);
    rmSync(open.folder, { recursive: true, force: true });
  }

  async #parts(): Promise<OpenedParts['parts']> {
    this.#opening ??= openIn(mkdtempSync(join(tmpdir(), 'ontomem-bench-')), this.#encoder);
    return (await this.#opening).opened.parts;
  }

  /** Observes a conversation once, however many arms ask for it. */
  async #scopeOf(conversation: PreparedConversation): Promise<Scope> {
    const known = this.#scopes.get(conversation);
    if (known !== undefined) return known;
    const scope = { tenant: 'bench', user: String(this.#users++) };
    const turns = conversation.turns.map((turn) => ({ turn }));
    await observe(await this.#parts(), { scope, turns, onInvalid: 'throw', signal: undefined });
    this.#scopes.set(conversation, scope);
    return scope;
  }

  async #bytesOf(conversation: PreparedConversation): Promise<number> {
    const { residency } = await this.#parts();
    const resident = await residency.load(await this.#scopeOf(conversation));
    return resident?.shard.bytes ?? 0;
  }
}

async function openIn(folder: string, encoder: Encoder) {
  return { folder, opened: await openParts(readOpen({ path: folder, encoder })) };
}

/** An encoder that reads every text as the same vector. */
function givenVector({ identity }: Encoder, vector: Float32Array): Encoder {
  return { identity, encode: async () => ({ vectors: vector }), close: async () => undefined };
}
