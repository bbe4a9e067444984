// The recall as served on vectors and terms that are given: what the product makes of turns and queries is itself chosen here.
import { closeShard } from '../../src/native/shard.js';
import type { RowBatch, ShardHandle } from '../../src/native/types.js';
import { recallFromShard, type ShardAnswer } from '../../src/retrieve/shard-recall.js';
import type { RecallPlan } from '../../src/retrieve/strategy.js';
import { passageFlags } from '../../src/text/passage.js';
import type { Arm, PreparedConversation, PreparedQuery } from '../quality/arm.js';
import { bareShard } from '../quality/bare-shard.js';

/** Deep enough for R@10. */
const LIMIT = 10;

/** The shard of the conversation under measurement; the one before it is closed when the next opens. */
let current: { conversation: PreparedConversation; handle: ShardHandle } | undefined;

/** What the native recall says of a query as it was prepared. */
export function askAsGiven(
  conversation: PreparedConversation,
  query: PreparedQuery,
  { strategy, viewWeights }: RecallPlan,
): ShardAnswer {
  return recallFromShard(shardOf(conversation), {
    strategy,
    changes: { limit: LIMIT, ...(query.at === undefined ? {} : { asOfMs: query.at }) },
    vectors: query.vector,
    vectorWeights: viewWeights,
    ...(query.terms.length === 0 ? {} : { terms: query.terms }),
  });
}

export const servedAsGiven: Arm = {
  name: 'fused',
  source: 'ontomem: src/retrieve, strategy DENSE_FIRST',
  async prepare(conversation, { engine }) {
    const plan = await engine.plan();
    return (query) => ({
      ids: askAsGiven(conversation, query, plan).hits.flatMap(({ row }) => conversation.turns[row]?.id ?? []),
      cost: { candidatesScored: conversation.turns.length },
    });
  },
};

function shardOf(conversation: PreparedConversation): ShardHandle {
  if (current?.conversation === conversation) return current.handle;
  if (current !== undefined) closeShard(current.handle);
  const handle = bareShard(conversation.dimension, rowsOf(conversation));
  current = { conversation, handle };
  return handle;
}

function rowsOf({ turns, vectors, terms }: PreparedConversation): RowBatch {
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
