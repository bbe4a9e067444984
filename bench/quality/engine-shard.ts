// A prepared conversation in the native core, as ontomem itself would hold it, without a store on disk.
import { appendRows, closeShard, openShard, shardInfo } from '../../src/native/shard.js';
import type { ShardHandle } from '../../src/native/types.js';
import { recallFromShard, type ShardAnswer } from '../../src/retrieve/shard-recall.js';
import type { RecallPlan, Strategy } from '../../src/retrieve/strategy.js';
import { passageFlags } from '../../src/text/passage.js';
import { queryTerms } from '../../src/text/query-terms.js';
import type { PreparedConversation, PreparedQuery, RankQuery } from './arm.js';
import { queryText } from './prepare.js';

/** The shard of the conversation under measurement; the one before it is closed when the next opens. */
let current: { conversation: PreparedConversation; handle: ShardHandle } | undefined;
let opened = 0;

/** Deep enough for every metric, and what a first stage hands to a second. */
const LIMIT = 64;

/** Ranks by the engine under a plan, with `changes` to its strategy. */
export function engineRanker(
  conversation: PreparedConversation,
  plan: RecallPlan,
  changes: Partial<Strategy> = {},
): RankQuery {
  const handle = engineShard(conversation);
  const { bytes } = shardInfo(handle);
  return (query) => {
    const { hits, stat } = askEngine(handle, query, plan, { ...changes, limit: LIMIT });
    return {
      ids: hits.flatMap(({ row }) => conversation.turns[row]?.id ?? []),
      cost: { candidatesScored: stat('visible'), bytesAtRest: bytes },
    };
  };
}

/** Loads a conversation once, however many arms ask for it. */
export function engineShard(conversation: PreparedConversation): ShardHandle {
  if (current?.conversation === conversation) return current.handle;
  if (current !== undefined) closeShard(current.handle);
  const handle = openShard('bench', Buffer.from(String(opened++)), conversation.dimension, 'f32');
  appendRows(handle, rowBatch(conversation));
  current = { conversation, handle };
  return handle;
}

/** Asks the engine as `recall` does: vector, terms, and the time of the question as asOf. */
export function askEngine(
  handle: ShardHandle,
  query: PreparedQuery,
  { strategy, viewWeights }: RecallPlan,
  changes: Partial<Strategy>,
): ShardAnswer {
  const terms = queryTerms(queryText(query));
  return recallFromShard(handle, {
    strategy,
    changes: { ...changes, ...(query.at === undefined ? {} : { asOfMs: query.at }) },
    vectors: query.vector,
    vectorWeights: viewWeights,
    ...(terms.length === 0 ? {} : { terms }),
  });
}

function rowBatch({ turns, vectors, terms }: PreparedConversation) {
  const offsets = Uint32Array.from({ length: turns.length + 1 }, () => 0);
  for (const [row, { counts }] of terms.entries()) offsets[row + 1] = (offsets[row] ?? 0) + counts.length;
  return {
    count: turns.length,
    vectors,
    atMs: Float64Array.from(turns, ({ at }) => at),
    session: ordinals(turns.map(({ session }) => session)),
    speaker: ordinals(turns.map(({ speaker }) => speaker)),
    flags: Uint32Array.from(turns, passageFlags),
    termOffsets: offsets,
    terms: Uint32Array.from(terms.flatMap(({ hashes }) => [...hashes])),
    termCounts: Uint16Array.from(terms.flatMap(({ counts }) => [...counts])),
    lengths: Uint32Array.from(terms, ({ length }) => length),
  };
}

function ordinals(names: readonly string[]): Uint32Array {
  const known = new Map<string, number>();
  return Uint32Array.from(names, (name) => {
    if (!known.has(name)) known.set(name, known.size);
    return known.get(name) ?? 0;
  });
}
