// Scores of a conversation's turns -> turn ids, best first.
import type { Turn } from '../../src/contract/turn.js';

/** Ids of the `limit` best turns; ties go to the newer turn, then to the later id. O(n log n). */
export function rankTurns(turns: readonly Turn[], scores: ArrayLike<number>, limit: number): string[] {
  return turns
    .map(({ id, at }, position) => ({ id, at, score: scores[position] ?? 0 }))
    .sort((a, b) => b.score - a.score || b.at - a.at || (a.id < b.id ? 1 : -1))
    .slice(0, limit)
    .map(({ id }) => id);
}
