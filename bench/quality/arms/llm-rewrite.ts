// Query rewrite by a language model: it drafts the statements that templates stand in for otherwise.
import type { Arm } from '../arm.js';
import { tokensOf } from '../cost.js';
import { ask, type ChatEndpoint } from './chat-endpoint.js';
import { rewriteArm } from './query-rewrite.js';

const MOST_STATEMENTS = 3;
const MOST_STATEMENT_CHARACTERS = 300;

const INSTRUCTION = `You help to search the notes of past conversations. For the question or request you are given,
write what the person may have said earlier that would answer it: ${MOST_STATEMENTS} short first-person statements,
one a line, without numbering. Guess tastes, needs and habits behind a request. Write nothing else.`;

/** HyDE (Gao et al., ACL 2023): hypothetical answers are searched with. */
export function llmRewriteArm(endpoint: ChatEndpoint): Arm {
  return rewriteArm(
    {
      name: 'query rewrite (llm)',
      source: 'HyDE (Gao et al., ACL 2023) by the model behind --llm',
    },
    async (query) => {
      const request = query.words;
      const answer = await ask(endpoint, INSTRUCTION, request);
      const estimate = tokensOf(INSTRUCTION) + tokensOf(request) + tokensOf(answer.text);
      return { statements: statementsOf(answer.text), modelTokens: answer.tokens ?? estimate };
    },
  );
}

/** The lines of an answer without numbering and bullets. */
export function statementsOf(answer: string): string[] {
  return answer
    .split('\n')
    .map((line) => line.replace(/^\s*(?:[-*•]|\d+[.)])\s*/, '').trim())
    .filter((line) => line !== '')
    .slice(0, MOST_STATEMENTS)
    .map((line) => line.slice(0, MOST_STATEMENT_CHARACTERS));
}
