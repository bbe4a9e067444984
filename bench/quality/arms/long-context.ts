// Long context: no retrieval, the newest turns that fit the window go into the prompt.
import type { Arm, PreparedConversation } from '../arm.js';
import { tokensOf } from '../cost.js';
import { Candidates } from './candidates.js';

/** Tokens of the window: holds every dialogue of IPR whole (1,550 on average) and a fifth of a LoCoMo conversation. */
const WINDOW_TOKENS = 4096;

/**
 * Everything in the window is handed on (the cut) and paid for. Which turns of it the reading model would use
 * cannot be known without that model; a reader as good as the encoder stands in for it, so the window is
 * ordered by cosine and ranks are comparable with the other arms. Turns outside the window do not exist.
 */
export function longContextArm(windowTokens: number = WINDOW_TOKENS): Arm {
  return {
    name: 'long context',
    source: `The newest turns that fit ${windowTokens.toLocaleString('en')} tokens, read whole`,
    prepare(conversation) {
      const candidates = new Candidates(conversation);
      const textBytes = conversation.passages.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
      return (query) => {
        const { positions, tokens } = fillWindow(conversation, candidates.visible(query), windowTokens);
        return {
          ...candidates.ranking(candidates.dense(query.vector), positions),
          cut: positions.length,
          cost: { candidatesScored: 0, promptTokens: tokens, bytesAtRest: textBytes },
        };
      };
    },
  };
}

export const longContext = longContextArm();

/** Takes turns from the newest back until the next one does not fit. O(window). */
export function fillWindow(
  conversation: PreparedConversation,
  visible: readonly number[],
  windowTokens: number,
): { positions: number[]; tokens: number } {
  const positions: number[] = [];
  let tokens = 0;
  for (const position of visible.toReversed()) {
    const size = tokensOf(conversation.passages[position] ?? '');
    if (tokens + size > windowTokens) break;
    positions.push(position);
    tokens += size;
  }
  return { positions, tokens };
}
