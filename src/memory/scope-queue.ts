// Work on one scope in the order it was asked for: checks and writes of a scope never interleave.
import { type Scope, scopeName } from '../contract/scope.js';

/** Runs tasks of the same scope one after the other, of different scopes side by side. */
export class ScopeQueue {
  readonly #tails = new Map<string, Promise<unknown>>();

  run<T>(scope: Scope, task: () => Promise<T>): Promise<T> {
    const key = scopeName(scope);
    const result = (this.#tails.get(key) ?? Promise.resolve()).then(task, task);
    const tail = result
      .catch(() => undefined)
      .finally(() => {
        if (this.#tails.get(key) === tail) this.#tails.delete(key);
      });
    this.#tails.set(key, tail);
    return result;
  }
}
