// Runs the native core's fuzzers and race tests under sanitizers.
// Usage: node scripts/sanitize.mjs [--operations 200000] [--kernel-cases 500] [--seconds 20] [--seed 1] [--only address|thread]
// The long run before a release: --operations 10000000 --kernel-cases 20000 --seconds 600
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { nodeHeaders } from './build-addon.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values: options } = parseArgs({
  options: {
    operations: { type: 'string', default: '200000' },
    'kernel-cases': { type: 'string', default: '500' },
    seconds: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
  },
});
let passed = 0;
const failed = [];

function run(name, file, args, env = {}) {
  process.stderr.write(`${name} ... `);
  const result = spawnSync(file, args, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, ...env },
    maxBuffer: 2 ** 28,
  });
  const output = `${result.stdout ?? ''}${result.stderr ?? ''}`;
  const reported = /(ERROR|WARNING): (Address|Thread|Leak)Sanitizer|runtime error:/.test(output);
  const good = result.status === 0 && !reported;
  process.stderr.write(
    good ? `passed\n${result.stdout}` : `failed\n${output.slice(-8000)}${result.error ?? ''}\n`,
  );
  if (good) passed++;
  else failed.push(name);
  return good;
}

/** Configures and builds `targets` with the sanitizer in a folder of its own; returns the folder. */
function build(sanitizer, targets) {
  const folder = join(root, 'build', `sanitize-${sanitizer.replace(',', '-')}`);
  const configured = run(`configure ${sanitizer}`, 'cmake', [
    '-S',
    root,
    '-B',
    folder,
    '-DCMAKE_BUILD_TYPE=RelWithDebInfo',
    '-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1',
    '-DONTOMEM_TESTS=ON',
    `-DONTOMEM_SANITIZE=${sanitizer}`,
    `-DCMAKE_JS_INC=${nodeHeaders()}`,
  ]);
  if (!configured) return undefined;
  return run(`build ${sanitizer}`, 'cmake', ['--build', folder, '--parallel', '2', '--target', ...targets])
    ? folder
    : undefined;
}

/** A sanitizer's runtime, which has to come first when an instrumented addon is loaded into Node. */
function runtime(name) {
  const path = spawnSync('g++', [`-print-file-name=${name}`], { encoding: 'utf8' }).stdout?.trim();
  return path && existsSync(path) ? path : undefined;
}

/** One of the race tests between worker threads, through the addon. */
function runRace(script, name, folder, library, env) {
  const preload = runtime(library);
  if (preload === undefined) {
    process.stderr.write(`${name}: skipped, ${library} was not found\n`);
    return;
  }
  const file = join(root, 'native/test', script);
  // Without address randomisation the sanitizer's shadow memory finds its place.
  run(name, 'setarch', ['-R', process.execPath, file, options.seconds, '2'], {
    LD_PRELOAD: preload,
    ONTOMEM_ADDON: join(folder, 'ontomem.node'),
    ...env,
  });
}

if (options.only !== 'thread') {
  const folder = build('address,undefined', [
    'shard_fuzz',
    'kernels_fuzz',
    'follow_test',
    'graph_test',
    'model_test',
    'recall_test',
    'residency_test',
    'ontomem',
  ]);
  if (folder !== undefined) {
    const env = { UBSAN_OPTIONS: 'halt_on_error=1:print_stacktrace=1' };
    for (const test of ['follow_test', 'graph_test', 'model_test', 'recall_test', 'residency_test'])
      run(test, join(folder, test), [], env);
    run('shard_fuzz', join(folder, 'shard_fuzz'), [options.seed, options.operations], env);
    run('kernels_fuzz', join(folder, 'kernels_fuzz'), [options.seed, options['kernel-cases']], env);
    // Node itself leaves memory behind at exit.
    for (const race of ['worker_race', 'session_race'])
      runRace(`${race}.mjs`, `${race} under ASan`, folder, 'libasan.so', { ASAN_OPTIONS: 'detect_leaks=0' });
  }
}
if (options.only !== 'address') {
  const folder = build('thread', ['race_test', 'ontomem']);
  if (folder !== undefined) {
    run('race_test', join(folder, 'race_test'), [options.seconds, '2']);
    const suppressions = join(root, 'native/test/thread_suppressions.txt');
    for (const race of ['worker_race', 'session_race'])
      runRace(`${race}.mjs`, `${race} under TSan`, folder, 'libtsan.so', {
        TSAN_OPTIONS: `suppressions=${suppressions}`,
      });
  }
}
console.log(`${passed} passed, ${failed.length} failed${failed.length > 0 ? `: ${failed.join(', ')}` : ''}`);
process.exit(failed.length === 0 ? 0 : 1);
