// How long the dense arm takes here, learned from the recalls so far: whether there is still time for it.

/** Before anything was measured: 384 dimensions of float32 that stream from memory at 13 GB/s. */
const FIRST_US_A_TURN = 0.12;
/** Of scopes with fewer turns the time is mostly not the scan's. */
const LEAST_TURNS = 4096;
/** Share of the newest measurement: eight recalls forget a busy moment. */
const NEWEST_SHARE = 0.125;
/** What is left of the guess each time it has forbidden the scan. */
const FORGIVEN_SHARE = 0.99;

export class SearchPace {
  #usATurn = FIRST_US_A_TURN;

  /** Whether comparing so many turns with a query takes no longer than `ms`. */
  allowsDense(turns: number, ms: number): boolean {
    if (turns * this.#usATurn <= ms * 1000) return true;
    // What is never tried is never measured: a guess that was too high comes down again.
    this.#usATurn *= FORGIVEN_SHARE;
    return false;
  }

  /** Learns from a search that compared `turns` turns in `us` microseconds. */
  learn(turns: number, us: number): void {
    if (turns < LEAST_TURNS) return;
    this.#usATurn += NEWEST_SHARE * (us / turns - this.#usATurn);
  }
}
