// A memory in which any one step can be made to fail: of the store, of the tokenizer, of the native core.
import { Tokenizer } from '@huggingface/tokenizers';
import type { Encoder } from '../../src/contract/encoder.js';
import { OntomemError } from '../../src/errors.js';
import { openMemory } from '../../src/memory/memory.js';
import { addon } from '../../src/native/addon.js';
import { TinyEncoder } from './tiny-encoder.js';
import type { Faulting } from './verbs.js';

/** Native calls that take memory, or run a model, and so may fail; giving back does not. */
const NATIVE_CALLS = [
  'openShard',
  'shardPosition',
  'makeRoom',
  'followRows',
  'followSegment',
  'packSegment',
  'compactShard',
  'recall',
  'openSession',
  'describeSession',
  'runSession',
] as const satisfies ReadonlyArray<keyof typeof addon>;

/** A step with so many of its kind around it stands in the middle of a run. */
const EDGE = [-2, -1, 1, 2];

/** Lets the n-th step fail. One a process. */
export class StepFaults implements Faulting {
  readonly #encoder: () => string | Encoder;
  readonly #only: RegExp;
  #failing = 0;
  #steps: string[] = [];

  /** Memories are opened with `encoder`, by default a tiny one that fails as a whole; `only` names steps. */
  constructor(encoder?: () => string | Encoder, only = /./) {
    this.#only = only;
    this.#encoder = encoder ?? (() => new TinyEncoder({ before: () => this.step('encode', 'EIO') }));
    const { encode } = Tokenizer.prototype;
    const before = () => this.step('tokenizer', 'EIO');
    Tokenizer.prototype.encode = function (this: Tokenizer, ...args: Parameters<typeof encode>) {
      before();
      return encode.apply(this, args);
    } as typeof encode;
    const calls = addon as unknown as Record<string, (...args: unknown[]) => unknown>;
    for (const name of NATIVE_CALLS) {
      const call = calls[name];
      calls[name] = (...args) => {
        this.step(name, 'NATIVE_OUT_OF_MEMORY');
        return call?.(...args);
      };
    }
  }

  async open(path: string) {
    return openMemory({ path, encoder: this.#encoder() }, { faults: (point) => this.step(point, 'EIO') });
  }

  arm(nth: number): void {
    this.#failing = nth;
    this.#steps = [];
  }

  /** All steps; of a long run of one kind, such as the entries of a range, the first and the last few. */
  disarm(): readonly number[] {
    this.#failing = 0;
    const steps = this.#steps;
    const isAlike = (step: string, other: number) => steps[other] === step;
    return steps.flatMap((step, place) =>
      EDGE.every((far) => isAlike(step, place + far)) ? [] : [place + 1],
    );
  }

  isTyped(error: unknown): boolean {
    return error instanceof OntomemError;
  }

  step(name: string, code: string): void {
    if (!this.#only.test(name)) return;
    this.#steps.push(name);
    if (this.#steps.length === this.#failing) throw Object.assign(new Error(`injected at ${name}`), { code });
  }
}
