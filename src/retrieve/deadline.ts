// Waiting with an end: a promise, or undefined when the time is up first.

/** Kept of a deadline for the search itself: without the dense arm it takes well under this. */
export const SEARCH_RESERVE_MS = 2;

/** What a call came in with. */
interface Due {
  deadlineMs: number | undefined;
}

/** When to search with what there is, on the clock of `performance.now()`; never too late without a deadline. */
export function searchAt({ deadlineMs = Number.POSITIVE_INFINITY }: Due, begin: number): number {
  return begin + deadlineMs - SEARCH_RESERVE_MS;
}

/** The longest a timer of Node's can wait, 24.8 days; it would fire at once for more. */
const LONGEST_MS = 2 ** 31 - 1;

/** Resolves to undefined after `ms`; of infinite `ms` it waits for the promise. The promise is not stopped. */
export async function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  if (ms > LONGEST_MS) return promise;
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), Math.max(0, ms));
  });
  // A late failure has nobody left to tell.
  promise.catch(() => undefined);
  try {
    return await Promise.race([promise, timeUp]);
  } finally {
    clearTimeout(timer);
  }
}
