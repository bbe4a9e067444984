// How long a piece of work holds the event loop at a time: what others on the machine take is not counted.
import { CoreWait } from '../../bench/speed/core-wait.js';

/** Milliseconds: the longest holds first. */
export async function holdsOf(work: () => Promise<unknown>): Promise<number[]> {
  const core = new CoreWait();
  const holds: number[] = [];
  let isOver = false;
  let [before, waited] = [performance.now(), core.ms()];
  const look = () => {
    const [now, waiting] = [performance.now(), core.ms()];
    const held = now - before - (waiting - waited);
    if (held > LEAST_MS) holds.push(held);
    [before, waited] = [now, waiting];
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  try {
    await work();
  } finally {
    isOver = true;
    // The last look is at what came last.
    await new Promise((resolve) => setImmediate(resolve));
    core.close();
  }
  return holds.sort((a, b) => b - a);
}

/** Shorter ones are the loop's own. */
const LEAST_MS = 0.5;
