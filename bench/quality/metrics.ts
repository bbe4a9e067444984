// Retrieval metrics of one ranked list against its gold, and their means with intervals.

/** Share of the gold ids in the first k of the ranking. */
export function recallAt(ranking: readonly string[], gold: ReadonlySet<string>, k: number): number {
  let found = 0;
  for (const id of ranking.slice(0, k)) if (gold.has(id)) found++;
  return found / gold.size;
}

/**
 * nDCG with gains 2^grade - 1 (Burges et al., 2005) discounted by log2 of the place, over the best possible order.
 * With one grade for all it is binary nDCG.
 */
export function ndcgAt(ranking: readonly string[], grades: ReadonlyMap<string, number>, k: number): number {
  const ideal = [...grades.values()].sort((a, b) => b - a).slice(0, k);
  const best = discounted(ideal);
  return best === 0 ? 0 : discounted(ranking.slice(0, k).map((id) => grades.get(id) ?? 0)) / best;
}

function discounted(grades: readonly number[]): number {
  return grades.reduce((sum, grade, place) => sum + (2 ** grade - 1) / Math.log2(place + 2), 0);
}

/** One over the place of the first gold id; 0 when there is none. */
export function reciprocalRank(ranking: readonly string[], gold: ReadonlySet<string>): number {
  const place = ranking.findIndex((id) => gold.has(id));
  return place < 0 ? 0 : 1 / (place + 1);
}

export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The value below which a share `p` of the values lies (nearest rank). */
export function percentile(values: readonly number[], p: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(p * sorted.length) - 1))] ?? 0;
}
