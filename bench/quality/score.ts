// One ranking against its gold: quality, time and cost.
import type { Encoder } from '../../src/contract/encoder.js';
import { type Arm, type PreparedConversation, type PreparedQuery, type Ranking, readsVector } from './arm.js';
import { queryCost, tokensOf } from './cost.js';
import { gradesOf } from './dataset.js';
import { ndcgAt, recallAt, reciprocalRank } from './metrics.js';

/** Evidence a method hands on when it has no cut of its own. */
export const EVIDENCE = 10;
/** What is known of one ranking; all shares are of 1. */
export interface Outcome {
  recall1: number;
  recall5: number;
  recall10: number;
  ndcg10: number;
  mrr: number;
  /** Share of the evidence handed on that is gold. */
  faithfulness: number;
  /** The turn that would be the wrong answer ranks above every gold turn; absent where there is no such turn. */
  misled?: boolean;
  /** The method handed nothing on. */
  abstained: boolean;
  /** Query in, ranking out; the query's own encoding included where the method needs it. Absent where untimed. */
  latencyMs?: number;
  /** US dollars, by cost.ts, from the four below. */
  cost: number;
  /** Tokens of what is handed on to a language model. */
  promptTokens: number;
  /** Encoder passes at query time, the query's own included where the method reads it. */
  encoderPasses: number;
  /** Processor time, all threads, the query's own encoding included. Absent where untimed. */
  cpuMs?: number;
  bytesAtRest: number;
  top10: readonly string[];
}

/** A ranking as it was measured. */
export interface Measured {
  arm: Arm;
  ranking: Ranking;
  times: Pick<Outcome, 'latencyMs' | 'cpuMs'>;
}

/** The figures of one ranking; without gold the shares are 0. */
export function score(
  { arm, ranking, times }: Measured,
  query: PreparedQuery,
  conversation: PreparedConversation,
  encoder: Encoder,
): Outcome {
  const { gold } = query;
  const evidence = ranking.ids.slice(0, ranking.cut ?? EVIDENCE);
  const share = (value: number) => (gold.size === 0 ? 0 : value);
  const vectorRead = readsVector(arm);
  const ownTokens = vectorRead ? tokensOf(query.words) : 0;
  const encoderTokens = ownTokens + (ranking.cost.encoderTokens ?? 0);
  const promptTokens = ranking.cost.promptTokens ?? evidenceTokens(evidence, conversation);
  return {
    recall1: share(recallAt(ranking.ids, gold, 1)),
    recall5: share(recallAt(ranking.ids, gold, 5)),
    recall10: share(recallAt(ranking.ids, gold, 10)),
    ndcg10: share(ndcgAt(ranking.ids, gradesOf(query), 10)),
    mrr: reciprocalRank(ranking.ids, gold),
    faithfulness: evidence.length === 0 ? 0 : evidence.filter((id) => gold.has(id)).length / evidence.length,
    ...(query.misleading === undefined ? {} : { misled: misled(ranking.ids, gold, query.misleading) }),
    abstained: evidence.length === 0,
    cost: queryCost({ ...ranking.cost, encoderTokens }, promptTokens, encoder.identity),
    promptTokens,
    encoderPasses: Number(vectorRead) + (ranking.cost.encoderPasses ?? 0),
    ...times,
    bytesAtRest: ranking.cost.bytesAtRest ?? 4 * conversation.vectors.length,
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

function misled(ids: readonly string[], gold: ReadonlySet<string>, misleading: string): boolean {
  const wrong = ids.indexOf(misleading);
  const right = ids.findIndex((id) => gold.has(id));
  return wrong >= 0 && (right < 0 || wrong < right);
}
