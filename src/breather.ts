// Long work on the thread, in slices: timers, sockets and other calls get their turn in between.

/** How long all calls together may hold the event loop in one round of it. */
const HELD_MS = 3;

/** Work that can pause wherever it yields. */
export type Slices<T> = Generator<undefined, T, undefined>;

/** When the work of this round of the event loop began; undefined when none has yet. One a thread, as the loop is. */
let roundBegan: number | undefined;
/** Calls that wait to go on, one a round, so that many of them hold the loop no longer than one. */
const waiting: Array<() => void> = [];

/** Lets the event loop go round, if it has been held for a while; asked often, it costs next to nothing. */
export async function breathe(): Promise<void> {
  if (heldMs() < HELD_MS) return;
  await new Promise<void>((go) => {
    if (waiting.push(go) === 1) setImmediate(wakeOne);
  });
}

/** Runs work in slices; what it returns. */
export async function inSlices<T>(work: Slices<T>): Promise<T> {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    await breathe();
  }
}

/** Runs work without a pause; what it returns. */
export function atOnce<T>(work: Slices<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

function heldMs(): number {
  const now = performance.now();
  if (roundBegan === undefined) beginRound(now);
  return now - (roundBegan ?? now);
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
  const go = waiting.shift();
  if (waiting.length > 0) setImmediate(wakeOne);
  go?.();
}
