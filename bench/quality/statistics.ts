// Intervals and tests over queries that come in clusters: questions about one conversation are not independent.
import { seededRandom } from '../random.js';

/** Lower and upper end. */
export type Interval = [number, number];

/** Resamples for an interval; the ends move by less than .002 from 1,000 to 10,000 on LoCoMo. */
const RESAMPLES = 2000;
/** Sign flips for a p-value: the smallest that can be told is 1/5,001. */
const FLIPS = 5000;

/** The sum and number of values of one cluster. */
interface Tally {
  sum: number;
  count: number;
}

/** Percentile bootstrap (Efron, 1979) of the mean at 95%, drawing whole clusters. O(resamples x clusters). */
export function bootstrapInterval(
  values: readonly number[],
  clusters: readonly string[],
  seed: number,
): Interval {
  const tallies = tallyByCluster(values, clusters);
  const random = seededRandom('bootstrap', seed);
  const means = new Float64Array(RESAMPLES);
  for (let resample = 0; resample < RESAMPLES; resample++) {
    let sum = 0;
    let count = 0;
    for (let draw = 0; draw < tallies.length; draw++) {
      const tally = tallies[Math.floor(random() * tallies.length)];
      sum += tally?.sum ?? 0;
      count += tally?.count ?? 0;
    }
    means[resample] = count === 0 ? 0 : sum / count;
  }
  means.sort();
  const at = (share: number) => means[Math.floor(share * (RESAMPLES - 1))] ?? 0;
  return [at(0.025), at(0.975)];
}

/**
 * Two-sided p-value that two methods answer the same queries equally well: paired randomisation (Fisher,
 * 1935; Smucker et al., 2007), swapping the methods' labels for whole clusters. O(flips x clusters).
 */
export function pairedSignificance(
  first: readonly number[],
  second: readonly number[],
  clusters: readonly string[],
  seed: number,
): number {
  const differences = first.map((value, query) => value - (second[query] ?? 0));
  const sums = tallyByCluster(differences, clusters).map(({ sum }) => sum);
  const observed = Math.abs(sums.reduce((total, sum) => total + sum, 0));
  const random = seededRandom('randomisation', seed);
  let asLarge = 0;
  for (let flip = 0; flip < FLIPS; flip++) {
    let total = 0;
    for (const sum of sums) total += random() < 0.5 ? sum : -sum;
    if (Math.abs(total) >= observed - 1e-12) asLarge++;
  }
  return (asLarge + 1) / (FLIPS + 1);
}

/** p-values corrected for being many (Holm, 1979): each times how many are not smaller, never falling. O(n log n). */
export function holm(values: readonly number[]): number[] {
  const order = [...values.keys()].sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0));
  const corrected = new Array<number>(values.length).fill(1);
  let floor = 0;
  for (const [rank, place] of order.entries()) {
    floor = Math.max(floor, Math.min(1, (values[place] ?? 1) * (values.length - rank)));
    corrected[place] = floor;
  }
  return corrected;
}

function tallyByCluster(values: readonly number[], clusters: readonly string[]): Tally[] {
  const tallies = new Map<string, Tally>();
  for (const [position, value] of values.entries()) {
    const cluster = clusters[position] ?? '';
    const tally = tallies.get(cluster) ?? { sum: 0, count: 0 };
    tally.sum += value;
    tally.count += 1;
    tallies.set(cluster, tally);
  }
  return [...tallies.values()];
}
