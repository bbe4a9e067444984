// Brings a fresh clone to a working state; each step runs only when what it reads has changed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildAddon, nodeHeaders } from './build-addon.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const quiet = process.argv.includes('--quiet');
/** The native core's own tests are built too, so that no test waits for a compiler. */
const withTests = process.argv.includes('--tests');
const OLDEST_NODE = [20, 19];

function stop(sentence) {
  console.error(`setup: ${sentence}`);
  process.exit(1);
}

function filesUnder(path) {
  const full = join(root, path);
  if (!existsSync(full)) return [];
  if (!statSync(full).isDirectory()) return [path];
  return readdirSync(full)
    .sort()
    .flatMap((name) => filesUnder(join(path, name)));
}

function digest(paths) {
  const sum = createHash('sha256').update(process.version);
  for (const path of paths.flatMap(filesUnder)) sum.update(path).update(readFileSync(join(root, path)));
  return sum.digest('hex');
}

/** Runs `action` unless its inputs are as they were when it last succeeded and `product` is there. */
function step(name, { inputs, product, stamp, action }) {
  const wanted = digest(inputs);
  const stampFile = join(root, stamp);
  const done =
    existsSync(join(root, product)) && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wanted;
  if (done) return;
  const started = performance.now();
  if (!quiet) process.stderr.write(`setup: ${name} ... `);
  const problem = action();
  if (problem !== undefined) {
    if (!quiet) process.stderr.write('failed\n');
    stop(problem);
  }
  mkdirSync(join(stampFile, '..'), { recursive: true });
  writeFileSync(stampFile, wanted);
  if (!quiet) process.stderr.write(`${((performance.now() - started) / 1000).toFixed(1)} s\n`);
}

function command(file, args, env = {}) {
  const result = spawnSync(file, args, { cwd: root, encoding: 'utf8', env: { ...process.env, ...env } });
  if (result.status === 0) return undefined;
  return `${[file, ...args].join(' ')} failed:\n${`${result.stdout ?? ''}${result.stderr ?? ''}${result.error ?? ''}`.slice(-4000)}`;
}

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1])) {
  stop(`Node ${OLDEST_NODE.join('.')} or newer is needed, this is ${process.version}: install a newer Node`);
}

step('packages', {
  inputs: ['package-lock.json'],
  product: 'node_modules',
  stamp: 'node_modules/.ontomem-packages',
  // No install script runs: onnxruntime-node's would fetch CUDA files, and ours is the next step here.
  action: () =>
    command('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
      ONNXRUNTIME_NODE_INSTALL: 'skip',
    }),
});
step('native addon', {
  inputs: [
    'native',
    'kernels',
    'CMakeLists.txt',
    'binding.gyp',
    'scripts/build-addon.mjs',
    'package-lock.json',
  ],
  product: 'build/Release/ontomem.node',
  stamp: 'build/.ontomem-addon',
  action: () => buildAddon(),
});
if (withTests && spawnSync('cmake', ['--version'], { stdio: 'ignore' }).status === 0) {
  step('native tests', {
    inputs: ['native', 'kernels', 'CMakeLists.txt', 'scripts/setup.mjs'],
    product: 'build/bench/CMakeCache.txt',
    stamp: 'build/.ontomem-programs',
    action: () =>
      command('cmake', [
        '-S',
        '.',
        '-B',
        'build/bench',
        '-DONTOMEM_TESTS=ON',
        '-DCMAKE_BUILD_TYPE=Release',
        `-DCMAKE_JS_INC=${nodeHeaders()}`,
      ]) ?? command('cmake', ['--build', 'build/bench', '--parallel', '2']),
  });
}
step('TypeScript', {
  inputs: ['src', 'bench', 'test', 'tsconfig.json', 'package-lock.json'],
  product: 'dist/src/index.js',
  stamp: 'dist/.ontomem-typescript',
  action: () => {
    // What a removed source left behind must not be imported or tested.
    rmSync(join(root, 'dist'), { recursive: true, force: true });
    return command(process.execPath, ['node_modules/typescript/bin/tsc']);
  },
});
step('encoder', {
  inputs: ['src/encode', 'package-lock.json'],
  product: 'dist/src/index.js',
  stamp: 'dist/.ontomem-encoder',
  action: () =>
    command(process.execPath, [
      '--input-type=module',
      '-e',
      "const { openEncoder } = await import('./dist/src/index.js'); await (await openEncoder()).close();",
    ]),
});
