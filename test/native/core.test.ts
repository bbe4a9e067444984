// The native core's own programs in short: kernels against f64, shards against a naive model, races.
// The long runs, under sanitizers: node scripts/sanitize.mjs.
import { spawnSync } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { buildProgram } from '../../bench/speed/native-program.js';

const test = suite('native core');

/** Each program with its short arguments: seeds, cases, operations, seconds, threads. */
const PROGRAMS: ReadonlyArray<[name: string, args: readonly string[]]> = [
  ['kernels_test', ['500']],
  ['kernels_fuzz', ['1', '50']],
  ['follow_test', []],
  ['graph_test', []],
  ['model_test', []],
  ['recall_test', []],
  ['residency_test', []],
  ['shard_fuzz', ['1', '20000']],
  ['race_test', ['2', '2']],
];

function isThere(command: string): boolean {
  return spawnSync(command, ['--version'], { stdio: 'ignore' }).status === 0;
}

if (isThere('cmake')) {
  for (const [name, args] of PROGRAMS) {
    test(`${name} passes`, () => {
      const { status, stdout, stderr } = spawnSync(buildProgram(name), args, {
        encoding: 'utf8',
        timeout: 240_000,
      });
      assert.is(status, 0, `${stdout}${stderr}`.slice(-4000));
    });
  }
} else {
  console.log('skipped: the native core has its own tests, and building them needs CMake');
  test.skip('the native programs pass', () => undefined);
}

for (const isa of ['scalar', 'avx2', 'no-such-isa']) {
  test(`the addon recalls alike with ONTOMEM_ISA=${isa}`, () => {
    const script = `
      const { nativeIsa } = await import('./dist/src/native/addon.js');
      const { openShard } = await import('./dist/src/native/shard.js');
      const { appendRows } = await import('./dist/test/support/append-rows.js');
      const { search } = await import('./dist/src/native/recall.js');
      const handle = openShard('isa', Buffer.from('s'), 8, 'f32');
      const one = Uint32Array.of(0, 0, 0);
      const vectors = Float32Array.from({ length: 24 }, (_, i) => Math.sin(i + 1));
      appendRows(handle, { count: 3, vectors, atMs: new Float64Array(3), session: one, speaker: one,
        flags: one, termOffsets: new Uint32Array(4),
        terms: new Uint32Array(0), termCounts: new Uint16Array(0), lengths: one });
      const out = { rows: new Uint32Array(3), scores: new Float32Array(3), counts: new Uint32Array(1) };
      search(handle, vectors.slice(0, 8), 3, out);
      console.log(JSON.stringify({ nativeIsa, rows: [...out.rows] }));
    `;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
      env: { ...process.env, ONTOMEM_ISA: isa },
    });
    assert.ok(stdout, stderr);
    const { nativeIsa, rows } = JSON.parse(stdout) as { nativeIsa: string; rows: number[] };
    if (isa === 'scalar') assert.is(nativeIsa, 'scalar');
    const expected = [0, 1, 2].toSorted((a, b) => similarity(b) - similarity(a));
    assert.equal(rows, expected);
  });
}

function similarity(row: number): number {
  return Array.from({ length: 8 }, (_, i) => Math.sin(i + 1) * Math.sin(row * 8 + i + 1)).reduce(
    (a, b) => a + b,
    0,
  );
}

test.run();
