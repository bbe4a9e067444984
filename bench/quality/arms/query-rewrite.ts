// Query rewrite: the question is searched together with statements that may have answered it.
import type { Arm, ArmServices, PreparedConversation, PreparedQuery, Ranking, RankingCost } from '../arm.js';
import { tokensOf } from '../cost.js';
import { TUNED_BASELINES } from '../tuned.js';
import { Candidates } from './candidates.js';
import { termCounts } from './lexicon.js';
import { rowOf, standardised, unitSum, weightedSum } from './scoring.js';
import { statementsFor } from './templates.js';

export interface RewriteSettings {
  /** Weight of all statements' vectors together, against 1 for the query's. */
  statements: number;
  /** Share of the dense view against BM25 with the query's own words. */
  denseShare: number;
}

const SETTINGS: RewriteSettings = TUNED_BASELINES['query rewrite'];

/** Turns handed on: see Ranking. */
const EVIDENCE = 10;

/** Where the statements come from, and the tokens a language model read and wrote for them. */
export type Rewriter = (
  query: PreparedQuery,
  conversation: PreparedConversation,
) => Promise<{ statements: readonly string[]; modelTokens?: number }>;

/** Rewrites and encodes the statements, both timed, and searches once with the sum of all vectors. */
export function rewriteArm(
  label: Pick<Arm, 'name' | 'source'>,
  rewriter: Rewriter,
  settings: RewriteSettings = SETTINGS,
): Arm {
  return {
    ...label,
    prepare(conversation, { encoder }) {
      const candidates = new Candidates(conversation);
      return async (query) => {
        const { statements, modelTokens } = await rewriter(query, conversation);
        const vector = await withStatements(query.vector, statements, encoder, settings.statements);
        const visible = candidates.visible(query);
        const scores = weightedSum(
          [settings.denseShare, standardised(candidates.dense(vector), visible)],
          [1 - settings.denseShare, standardised(candidates.lexical(termCounts(query.terms)), visible)],
        );
        const ranking = candidates.ranking(scores, visible, {
          encoderTokens: statements.reduce((sum, text) => sum + tokensOf(text), 0),
          encoderPasses: statements.length,
          bytesAtRest: candidates.bothBytes,
        });
        const prompt = modelTokens === undefined ? {} : promptOf(ranking, modelTokens, conversation);
        return { ...ranking, cost: { ...ranking.cost, ...prompt } };
      };
    },
  };
}

export function rewriteByTemplates(settings: RewriteSettings = SETTINGS): Arm {
  return rewriteArm(
    {
      name: 'query rewrite',
      source: 'Hypothetical statements (HyDE: Gao et al., ACL 2023) by templates',
    },
    async ({ text }, { turns }) => ({
      statements: statementsFor(text, new Set(turns.map(({ speaker }) => speaker))),
    }),
    settings,
  );
}

export const queryRewrite = rewriteByTemplates();

async function withStatements(
  own: Float32Array,
  statements: readonly string[],
  encoder: ArmServices['encoder'],
  weight: number,
): Promise<Float32Array> {
  if (statements.length === 0) return own;
  const { vectors } = await encoder.encode(statements, { role: 'passage' });
  const rows = statements.map((_, i) => [weight / statements.length, rowOf(vectors, i, own.length)] as const);
  return unitSum([1, own], ...rows);
}

/** What a rewriting model read and wrote comes on top of the evidence that the method hands on. */
function promptOf(
  ranking: Ranking,
  modelTokens: number,
  conversation: PreparedConversation,
): Pick<RankingCost, 'promptTokens'> {
  const evidence = new Set(ranking.ids.slice(0, EVIDENCE));
  const passages = conversation.passages.filter((_, i) => evidence.has(conversation.turns[i]?.id ?? ''));
  return { promptTokens: passages.reduce((sum, text) => sum + tokensOf(text), modelTokens) };
}
