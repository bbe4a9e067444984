// Intervals and tests over queries that come in clusters: questions about one conversation are not independent.
import { seededRandom } from '../random.js';

/** Lower and upper end. */
export type Interval = [number, number];

/** Resamples for an interval; the ends move by less than .002 from 1,000 to 10,000 on LoCoMo. */
const RESAMPLES = 2000;
/** Sign flips for a p-value: the smallest that can be told, 1/20,001, is under .03 when Holm corrects 500 comparisons. */
const FLIPS = 20_000;
/** Clusters whose signs one random byte gives. */
const SIGNS = 8;

/** A draw is one of so many whole numbers. */
const DRAWS = 2 ** 32;
/** What is drawn for, and the seed -> draws: all intervals and tests of a seed read the same ones. */
const streams = new Map<string, Uint32Array>();

/** Sums and numbers of values, a cluster a place. */
interface Tally {
  sums: Float64Array;
  counts: Float64Array;
}

/** Percentile bootstrap (Efron, 1979) of the mean at 95%, drawing whole clusters. O(resamples x clusters). */
export function bootstrapInterval(
  values: readonly number[],
  clusters: readonly string[],
  seed: number,
): Interval {
  const { sums, counts } = tallyByCluster(values, clusters);
  const draws = drawn('bootstrap', seed, RESAMPLES * sums.length);
  const means = new Float64Array(RESAMPLES);
  for (let resample = 0, draw = 0; resample < RESAMPLES; resample++) {
    let sum = 0;
    let count = 0;
    for (const end = draw + sums.length; draw < end; draw++) {
      const cluster = Math.floor(((draws[draw] ?? 0) / DRAWS) * sums.length);
      sum += sums[cluster] ?? 0;
      count += counts[cluster] ?? 0;
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
  const { sums } = tallyByCluster(differences, clusters);
  const observed = Math.abs(sums.reduce((total, sum) => total + sum, 0));
  const groups = Math.ceil(sums.length / SIGNS);
  const signed = signedSums(sums, groups);
  const { buffer } = drawn('randomisation', seed, Math.ceil((FLIPS * groups) / 4));
  const signs = new Uint8Array(buffer);
  let asLarge = 0;
  for (let flip = 0, at = 0; flip < FLIPS; flip++) {
    let total = 0;
    for (let group = 0; group < groups; group++) total += signed[(group << SIGNS) + (signs[at++] ?? 0)] ?? 0;
    if (Math.abs(total) >= observed - 1e-12) asLarge++;
  }
  return (asLarge + 1) / (FLIPS + 1);
}

/** For each eight sums their total under each choice of signs. O(256 x sums). */
function signedSums(sums: Float64Array, groups: number): Float64Array {
  const signed = new Float64Array(groups << SIGNS);
  for (let choice = 0; choice < 1 << SIGNS; choice++) {
    for (const [place, sum] of sums.entries()) {
      const at = (Math.floor(place / SIGNS) << SIGNS) + choice;
      signed[at] = (signed[at] ?? 0) + (((choice >> (place % SIGNS)) & 1) === 1 ? sum : -sum);
    }
  }
  return signed;
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

/** The first `count` draws. O(count) where they are more than ever before. */
function drawn(purpose: string, seed: number, count: number): Uint32Array {
  const key = `${purpose} ${seed}`;
  const known = streams.get(key);
  if (known !== undefined && known.length >= count) return known;
  const random = seededRandom(purpose, seed);
  const draws = new Uint32Array(count);
  for (let place = 0; place < count; place++) draws[place] = random() * DRAWS;
  streams.set(key, draws);
  return draws;
}

/** Clusters in the order in which they come up. */
function tallyByCluster(values: readonly number[], clusters: readonly string[]): Tally {
  const places = new Map<string, number>();
  for (const cluster of clusters) if (!places.has(cluster)) places.set(cluster, places.size);
  const tally = { sums: new Float64Array(places.size), counts: new Float64Array(places.size) };
  for (const [position, value] of values.entries()) {
    const place = places.get(clusters[position] ?? '') ?? 0;
    tally.sums[place] = (tally.sums[place] ?? 0) + value;
    tally.counts[place] = (tally.counts[place] ?? 0) + 1;
  }
  return tally;
}
