// Long work on the thread, in slices: timers, sockets and other calls get their turn in between.
import { DueQueue } from './due-queue.js';

/** How long all calls together may hold the event loop in one round of it. */
const HELD_MS = 3;
/** Work without a deadline is due by then: recalls with one come in for ever, and writes must go on beside them. */
const PATIENCE_MS = 20;

/** Work that can pause wherever it yields. */
export type Slices<T> = Generator<undefined, T, undefined>;

/** When the work of this round of the event loop began; undefined when none has yet. One a thread, as the loop is. */
let roundBegan: number | undefined;
/** Calls that wait to go on, one a round, so that many of them hold the loop no longer than one. */
const waiting = new DueQueue<() => void>();

/**
 * Lets the event loop go round, if it has been held for a while; asked often, it costs next to nothing. Of those that
 * wait, what is due first on the clock of `performance.now()` goes on first; nothing waits for ever.
 */
export async function breathe(dueAt = Number.POSITIVE_INFINITY): Promise<void> {
  if (!isHeld()) return;
  await new Promise<void>((go) => {
    waiting.add(go, Math.min(dueAt, performance.now() + PATIENCE_MS));
    if (waiting.length === 1) setImmediate(wakeOne);
  });
}

/** Runs work in slices; what it returns. */
export async function inSlices<T>(work: Slices<T>, dueAt?: number): Promise<T> {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    await breathe(dueAt);
  }
}

/** Runs work without a pause; what it returns. */
export function atOnce<T>(work: Slices<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

/** Whether calls have held the loop long enough for this round. */
export function isHeld(): boolean {
  const now = performance.now();
  if (roundBegan === undefined) beginRound(now);
  return now - (roundBegan ?? now) >= HELD_MS;
}

/** A round ends when the loop comes to its immediates. */
function beginRound(now: number): void {
  roundBegan = now;
  setImmediate(() => {
    roundBegan = undefined;
  });
}

function wakeOne(): void {
  beginRound(performance.now());
  const go = waiting.next();
  if (waiting.length > 0) setImmediate(wakeOne);
  go?.();
}
