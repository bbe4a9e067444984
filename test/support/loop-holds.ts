// How long a piece of work holds the event loop at a time: what others on the machine take is not counted.
import { PerformanceObserver } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { CoreClock } from '../../bench/speed/core-clock.js';

/** Shorter ones are the loop's own. */
const LEAST_MS = 0.5;

/** What one round of the loop took, between two moments. */
interface Round {
  from: number;
  to: number;
  held: number;
}

/**
 * Milliseconds between two rounds of the loop, the longest first: without the time for which the thread had no core,
 * no more than it used of one, and without collections of garbage, whose helpers have a core or not. The system counts
 * what is used by the ticks of its clock, up to 10 ms late, and what is waited for exactly.
 */
export async function holdsOf(work: () => Promise<unknown>): Promise<number[]> {
  const clock = new CoreClock();
  const rounds: Round[] = [];
  const collections: Round[] = [];
  const collected = new PerformanceObserver((list) => {
    for (const { startTime: from, duration: held } of list.getEntries())
      collections.push({ from, to: from + held, held });
  });
  collected.observe({ entryTypes: ['gc'] });
  let isOver = false;
  let before = { now: performance.now(), ...clock.read() };
  const look = () => {
    const after = { now: performance.now(), ...clock.read() };
    const held = after.now - before.now - (after.waited - before.waited);
    rounds.push({ from: before.now, to: after.now, held: Math.min(held, after.used - before.used) });
    if ((rounds.at(-1)?.held ?? 0) < LEAST_MS) rounds.pop();
    before = after;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  try {
    await work();
  } finally {
    isOver = true;
    // The last look is at what came last; what was collected is told a little later.
    await wait(50);
    collected.disconnect();
    clock.close();
  }
  return rounds.map((round) => round.held - collectedIn(round, collections)).sort((a, b) => b - a);
}

function collectedIn({ from, to }: Round, collections: readonly Round[]): number {
  return collections
    .filter((collection) => collection.from >= from && collection.to <= to)
    .reduce((sum, { held }) => sum + held, 0);
}
