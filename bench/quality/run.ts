// Runs arms over a data set: every arm ranks every query, timed, and each ranking is scored.
import { performance } from 'node:perf_hooks';
import { progress } from '../../src/cli/output.js';
import type { Encoder } from '../../src/contract/encoder.js';
import type { Arm, ArmServices, PreparedConversation, PreparedQuery, Ranking } from './arm.js';
import { queryCost, tokensOf } from './cost.js';
import type { Dataset } from './dataset.js';
import { ndcgAt, recallAt, reciprocalRank } from './metrics.js';
import { encodeDataset, prepareConversation, queryText } from './prepare.js';
import type { VectorCache } from './vector-cache.js';

/** Evidence a method hands on when it has no cut of its own. */
export const EVIDENCE = 10;
/** Queries encoded one by one to learn what a query's encoding takes. */
const ENCODINGS_TIMED = 48;

/** What is known of one ranking; all shares are of 1. */
export interface Outcome {
  recall1: number;
  recall5: number;
  recall10: number;
  ndcg10: number;
  mrr: number;
  /** Share of the evidence handed on that is gold. */
  faithfulness: number;
  /** The method handed nothing on. */
  abstained: boolean;
  /** Query in, ranking out; the query's own encoding included where the method needs it. */
  latencyMs: number;
  /** US dollars, by cost.ts. */
  cost: number;
  top10: readonly string[];
}

/** One query with what each arm made of it. */
export interface QueryRecord {
  id: string;
  conversation: string;
  cluster: string;
  slices: readonly string[];
  /** Gold turns; 0 for a question without an answer. */
  gold: number;
  outcomes: Readonly<Record<string, Outcome>>;
}

export interface Run {
  records: QueryRecord[];
  conversations: number;
  turns: number;
  /** What encoding one query alone took, milliseconds. */
  encodeMs: readonly number[];
}

/** Ranks every query of the data set with every arm, conversation by conversation. */
export async function runArms(
  dataset: Dataset,
  arms: readonly Arm[],
  encoder: Encoder,
  cache: VectorCache,
): Promise<Run> {
  const encodeCached: ArmServices['encodeCached'] = (texts, role) => cache.encode(texts, role);
  await encodeDataset(dataset, encodeCached);
  const encodeMs = await timeEncodings(dataset, encoder);
  const records: QueryRecord[] = [];
  const queries = dataset.conversations.reduce((sum, conversation) => sum + conversation.queries.length, 0);
  const bar = progress(`Ranking ${dataset.name}`, queries * arms.length);
  try {
    for (const source of dataset.conversations) {
      const prepared = await prepareConversation(source, encoder.identity.dimension, encodeCached);
      const outcomes = prepared.queries.map((): Record<string, Outcome> => ({}));
      for (const arm of arms) {
        const rank = await arm.prepare(prepared.conversation, { encoder, encodeCached });
        for (const [position, query] of prepared.queries.entries()) {
          const started = performance.now();
          const ranking = await rank(query);
          const rankedMs = performance.now() - started;
          const encodingMs = arm.lexicalOnly === true ? 0 : (encodeMs[position % encodeMs.length] ?? 0);
          const known = { arm, ranking, latencyMs: rankedMs + encodingMs };
          Object.assign(outcomes[position] ?? {}, {
            [arm.name]: score(known, query, prepared.conversation, encoder),
          });
          bar.advance(1);
        }
      }
      for (const [position, query] of prepared.queries.entries()) {
        records.push({
          id: query.id,
          conversation: source.id,
          cluster: source.cluster ?? source.id,
          slices: query.slices,
          gold: query.gold.size,
          outcomes: outcomes[position] ?? {},
        });
      }
    }
  } finally {
    bar.stop();
  }
  const turns = dataset.conversations.reduce((sum, conversation) => sum + conversation.turns.length, 0);
  return { records, conversations: dataset.conversations.length, turns, encodeMs };
}

function score(
  { arm, ranking, latencyMs }: { arm: Arm; ranking: Ranking; latencyMs: number },
  query: PreparedQuery,
  conversation: PreparedConversation,
  encoder: Encoder,
): Outcome {
  const { gold } = query;
  const evidence = ranking.ids.slice(0, ranking.cut ?? EVIDENCE);
  const share = (value: number) => (gold.size === 0 ? 0 : value);
  const ownTokens = arm.lexicalOnly === true ? 0 : tokensOf(queryText(query));
  const encoderTokens = ownTokens + (ranking.cost.encoderTokens ?? 0);
  const promptTokens = ranking.cost.promptTokens ?? evidenceTokens(evidence, conversation);
  return {
    recall1: share(recallAt(ranking.ids, gold, 1)),
    recall5: share(recallAt(ranking.ids, gold, 5)),
    recall10: share(recallAt(ranking.ids, gold, 10)),
    ndcg10: share(ndcgAt(ranking.ids, gold, 10)),
    mrr: reciprocalRank(ranking.ids, gold),
    faithfulness: evidence.length === 0 ? 0 : evidence.filter((id) => gold.has(id)).length / evidence.length,
    abstained: evidence.length === 0,
    latencyMs,
    cost: queryCost({ ...ranking.cost, encoderTokens }, promptTokens, encoder.identity),
    top10: ranking.ids.slice(0, 10),
  };
}

function evidenceTokens(evidence: readonly string[], conversation: PreparedConversation): number {
  const wanted = new Set(evidence);
  let tokens = 0;
  for (const [position, turn] of conversation.turns.entries()) {
    if (wanted.has(turn.id)) tokens += tokensOf(conversation.passages[position] ?? '');
  }
  return tokens;
}

async function timeEncodings(dataset: Dataset, encoder: Encoder): Promise<number[]> {
  const texts = dataset.conversations.flatMap((conversation) => conversation.queries.map(queryText));
  const stride = Math.max(1, Math.floor(texts.length / ENCODINGS_TIMED));
  const sample = texts.filter((_, position) => position % stride === 0).slice(0, ENCODINGS_TIMED);
  const times: number[] = [];
  for (const text of sample) {
    const started = performance.now();
    await encoder.encode([text], { role: 'query' });
    times.push(performance.now() - started);
  }
  return times;
}
