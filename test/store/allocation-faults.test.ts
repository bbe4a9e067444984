// Every allocation of the native core fails once, on the way of every verb: a typed error or a right result, and
// right answers after. By an addon whose allocations are counted, in a copy of the module that loads it.
import { spawnSync } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { buildProgram } from '../../bench/speed/native-program.js';
import { ERROR_TABLE } from '../../src/errors.js';
import { moduleCopy } from '../support/module-copy.js';
import { TinyEncoder } from '../support/tiny-encoder.js';
import { everyStepFailsOnce, type Faulting, VERBS } from '../support/verbs.js';

const test = suite('allocation faults');

type MemoryModule = typeof import('../../src/memory/memory.js');
type AddonModule = { addon: { failAllocation(nth: number): number } };

/** Lets the n-th allocation fail. */
class AllocationFaults implements Faulting {
  readonly #memory: MemoryModule;
  readonly #native: AddonModule;

  constructor(memory: MemoryModule, native: AddonModule) {
    this.#memory = memory;
    this.#native = native;
  }

  async open(path: string) {
    return this.#memory.openMemory({ path, encoder: new TinyEncoder() });
  }

  arm(nth: number): void {
    this.#native.addon.failAllocation(nth);
  }

  disarm(): readonly number[] {
    return Array.from({ length: this.#native.addon.failAllocation(0) }, (_, place) => place + 1);
  }

  /** Of the copy: its errors are of another class. */
  isTyped(error: unknown): boolean {
    return error instanceof Error && 'code' in error && String(error.code) in ERROR_TABLE;
  }
}

if (process.platform === 'linux' && spawnSync('cmake', ['--version']).status === 0) {
  const copy = moduleCopy(`${buildProgram('ontomem_faults')}.node`);
  const memory = await copy<MemoryModule>('dist/src/memory/memory.js');
  const native = await copy<AddonModule>('dist/src/native/addon.js');
  const faults = new AllocationFaults(memory, native);
  // Those that take native memory.
  for (const verb of VERBS.filter(({ name }) => /recall|segment/.test(name))) {
    test(`${verb.name}: every allocation fails once`, async () => {
      const failed = await everyStepFailsOnce(verb, faults);
      assert.ok(failed > 0 || verb.mayDoWithout === true);
    });
  }
} else {
  console.log('skipped: an addon whose allocations fail needs Linux and CMake');
  test.skip('every allocation fails once', () => undefined);
}

test.run();
