// The control run: gold turns drawn at random, so that a method that scores above chance has seen labels.
import { seededRandom, shuffled } from '../random.js';
import type { Dataset } from './dataset.js';

/** Each query keeps its number of gold turns; which turns they are is drawn from its conversation. */
export function shuffleGold(dataset: Dataset, seed: number): Dataset {
  return {
    ...dataset,
    conversations: dataset.conversations.map((conversation) => ({
      ...conversation,
      queries: conversation.queries.map((query) => {
        const random = seededRandom('gold', seed, conversation.id, query.id);
        const drawn = shuffled(conversation.turns, random).slice(0, query.gold.size);
        const { grades: _, misleading: __, ...rest } = query;
        return { ...rest, gold: new Set(drawn.map(({ id }) => id)) };
      }),
    })),
  };
}

/** What recall at 10 is by chance: the ten of so many turns, averaged over the queries that have gold. */
export function chanceRecall10(dataset: Dataset): number {
  let sum = 0;
  let count = 0;
  for (const { turns, queries } of dataset.conversations) {
    const answered = queries.filter(({ gold }) => gold.size > 0).length;
    sum += answered * Math.min(1, 10 / turns.length);
    count += answered;
  }
  return count === 0 ? 0 : sum / count;
}
