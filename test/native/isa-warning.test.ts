// ONTOMEM_ISA that names nothing, or nothing this machine has, is said and not passed over.
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runNode } from '../support/processes.js';

const entry = fileURLToPath(new URL('../../src/native/addon.js', import.meta.url));

test('an unknown instruction set is a warning that lists the known ones', async () => {
  const warned = async (isa: string) =>
    (await runNode(entry, [], { env: { ONTOMEM_ISA: isa, NODE_NO_WARNINGS: '' } })).stderr;
  assert.match(
    await warned('foo'),
    /\[ONTOMEM_ISA\].*not one of scalar, avx2, avx512, avx512-wide, neon; [\w-]+ is used/,
  );
  assert.is(await warned('scalar'), '');
  assert.is(await warned(''), '');
});

test.run();
