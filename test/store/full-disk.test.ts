// A disk that is full: typed errors, reads that go on, writes that resume when there is room.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Memory } from '../../src/memory/memory.js';
import { failure } from '../support/expecting.js';
import { ADA, BO, idsOf, openTiny, someTurns } from '../support/memories.js';
import { SMALL_DISKS } from '../support/mounts.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const test = suite('full disk');
const DISK_BYTES = 8 * 1024 * 1024;
const FAILING_CALLS = 12;
const CY = { tenant: 'acme', user: 'cy' };

const uncaught: unknown[] = [];
process.on('uncaughtException', (error) => uncaught.push(error));
process.on('unhandledRejection', (error) => uncaught.push(error));

/** Takes all the room there is; gives it back when it is called again. */
function fill(at: string): () => void {
  const filler = join(at, 'filler');
  for (let bytes = 1 << 20; bytes >= 1; ) {
    try {
      writeFileSync(filler, Buffer.alloc(bytes), { flag: 'a' });
    } catch {
      bytes >>= 1;
    }
  }
  return () => rmSync(filler);
}

for (const [kind, mount] of Object.entries(SMALL_DISKS)) {
  const at = join(temporaryFolder(`full-${kind}`), 'disk');
  const unmount = mount(DISK_BYTES, at);
  if (unmount === undefined) console.log(`skipped: a full ${kind} (this user may not mount one)`);
  const whereMounted = unmount === undefined ? test.skip : test;

  whereMounted(
    `${kind}: every write is STORE_UNWRITABLE, reads go on, writing resumes with room`,
    async () => {
      const path = join(at, 'store');
      const memory = await openTiny({ path });
      await memory.observe({ scope: ADA, turns: someTurns(50) });
      await memory.observe({ scope: CY, turns: someTurns(2) });
      const archive: unknown[] = [];
      for await (const record of memory.export({ scope: ADA })) archive.push(record);
      const empty = fill(at);
      let next = 50;
      const long = (count: number) =>
        someTurns(count, next).map((t) => ({ ...t, text: `${t.text} and `.repeat(300) }));
      // Free pages may take the first ones.
      for (let failed = 0; failed < FAILING_CALLS; ) {
        try {
          await memory.observe({ scope: ADA, turns: long(20) });
          next += 20;
        } catch (error) {
          assert.is((error as { code?: string }).code, 'STORE_UNWRITABLE', String(error));
          // Before LMDB writes: what it says of a failed write can overrun its own memory.
          assert.match(String(error), /ENOSPC: no room for/);
          failed++;
        }
        assert.is(
          (await idsOf(memory, ADA)).length,
          next,
          'what was acknowledged is there, and nothing else',
        );
      }
      await failure('STORE_UNWRITABLE', () => memory.import({ records: archive, scope: BO }));
      await failure('STORE_UNWRITABLE', () => memory.compact());
      // The last room there is goes to the smallest turns; to forget needs none.
      let small = 2;
      await failure('STORE_UNWRITABLE', async () => {
        for (;;) {
          await memory.observe({ scope: CY, turns: someTurns(1, small) });
          small++;
        }
      });
      await memory.forget({ scope: CY, turn: 't0' });
      assert.is((await idsOf(memory, CY)).length, small - 1);
      await memory.forget({ scope: CY, everything: true });
      assert.equal(await idsOf(memory, CY), []);
      const together = await Promise.allSettled(
        [BO, ADA].map((scope) => memory.observe({ scope, turns: long(200) })),
      );
      assert.ok(together.every(({ status }) => status === 'rejected'));
      assert.ok((await memory.recall({ scope: ADA, query: 'tea in the garden' })).evidence.length > 0);
      const reader = await openTiny({ path, readOnly: true });
      assert.is((await idsOf(reader, ADA)).length, next);
      await reader.close();
      empty();
      await memory.observe({ scope: ADA, turns: long(20) });
      next += 20;
      await memory.compact();
      await memory.close();
      await using again: Memory = await openTiny({ path });
      assert.is((await idsOf(again, ADA)).length, next);
      assert.equal(uncaught, []);
    },
  );
  test.after(() => unmount?.());
}

test.run();
