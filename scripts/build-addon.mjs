// Builds the native addon: with cmake-js where CMake is there, else with node-gyp through binding.gyp.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

function has(command) {
  return spawnSync(command, ['--version'], { stdio: 'ignore' }).status === 0;
}

function run(command, args, quiet) {
  const result = spawnSync(command, args, { cwd: root, encoding: 'utf8', stdio: quiet ? 'pipe' : 'inherit' });
  return { ok: result.status === 0, output: `${result.stdout ?? ''}${result.stderr ?? ''}` };
}

/** The folders of Node-API's headers, as CMake lists them. */
export function nodeHeaders() {
  const require = createRequire(import.meta.url);
  return `${require('node-api-headers').include_dir};${require('node-addon-api').include_dir}`;
}

/** Builds build/Release/ontomem.node. Returns what went wrong in one sentence, or undefined. */
export function buildAddon({ quiet = true, generator = process.env.ONTOMEM_BUILD } = {}) {
  if (!['c++', 'g++', 'clang++', 'cl'].some(has) && process.platform !== 'win32') {
    return 'no C++ compiler was found: install g++ 12 or clang 14 (or newer) and run this again';
  }
  const cmakeJs = fileURLToPath(new URL('../node_modules/cmake-js/bin/cmake-js', import.meta.url));
  const withCmake = generator !== 'gyp' && has('cmake') && existsSync(cmakeJs);
  const nodeGyp = process.env.npm_config_node_gyp;
  const built = withCmake
    ? run(process.execPath, [cmakeJs, 'compile', '--parallel', '2'], quiet)
    : nodeGyp
      ? run(process.execPath, [nodeGyp, 'rebuild'], quiet)
      : run('node-gyp', ['rebuild'], quiet);
  if (built.ok) return undefined;
  return `the addon did not compile (${withCmake ? 'cmake-js' : 'node-gyp'}):\n${built.output.slice(-4000)}`;
}
