// Deletes what is stored of forgotten scopes, in the background and in parts, also what a killed process left.
import type { Environment } from '../environment.js';
import { ForgottenScopes } from './forgotten-scopes.js';

/** One a memory that writes. */
export class Sweeper {
  readonly #environment: Environment;
  readonly #forgotten: ForgottenScopes;
  #tail: Promise<unknown> = Promise.resolve();

  constructor(environment: Environment) {
    this.#environment = environment;
    this.#forgotten = new ForgottenScopes(environment.tables);
  }

  /**
   * Begins with what is left and compacts the store when it is worth it; does not wait. Where a commit fails the
   * marks stay: what they hide goes with the next forgetting, compaction, close or opening.
   */
  start(): void {
    if (this.#environment.readOnly) return;
    this.#after(async () => {
      if ((await this.#sweep()) > 0) await this.#environment.compactIfDue(false);
    }).catch(() => undefined);
  }

  /** Resolves when nothing is left. O(what is left). @throws STORE_UNWRITABLE. */
  async finish(): Promise<void> {
    if (!this.#environment.readOnly) await this.#after(() => this.#sweep());
  }

  #after<T>(task: () => Promise<T>): Promise<T> {
    const done = this.#tail.then(task);
    this.#tail = done.catch(() => undefined);
    return done;
  }

  /** Returns in how many parts it went. */
  async #sweep(): Promise<number> {
    for (let parts = 0; ; parts++) {
      const scopeId = this.#forgotten.first();
      if (scopeId === undefined) return parts;
      await this.#environment.write(() => this.#forgotten.removePart(scopeId));
    }
  }
}
