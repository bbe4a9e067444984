// Retrieval metrics of one ranked list against its gold, and their means with intervals.

/** Share of the gold ids in the first k of the ranking. */
export function recallAt(ranking: readonly string[], gold: ReadonlySet<string>, k: number): number {
  let found = 0;
  for (const id of ranking.slice(0, k)) if (gold.has(id)) found++;
  return found / gold.size;
}

/** Binary nDCG: gains of gold ids discounted by log2 of their place, over the best possible order. */
export function ndcgAt(ranking: readonly string[], gold: ReadonlySet<string>, k: number): number {
  let gained = 0;
  for (const [place, id] of ranking.slice(0, k).entries())
    if (gold.has(id)) gained += 1 / Math.log2(place + 2);
  let ideal = 0;
  for (let place = 0; place < Math.min(k, gold.size); place++) ideal += 1 / Math.log2(place + 2);
  return gained / ideal;
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
