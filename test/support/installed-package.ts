// The package as npm would publish it, in a project of somebody else's.
import { chmodSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { ROOT, run } from './processes.js';
import { temporaryFolder } from './temporary-folder.js';

const manifest = createRequire(import.meta.url)(join(ROOT, 'package.json')) as {
  version: string;
  dependencies: Record<string, string>;
};

/** Where the project and the package in it are. */
export interface Installed {
  project: string;
  installed: string;
}

/** Packs, unpacks and links what the package depends on, and nothing else of ours. */
export async function installPackage(): Promise<Installed> {
  const project = temporaryFolder('package');
  const modules = join(project, 'node_modules');
  const installed = join(modules, 'ontomem');
  const packed = await run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', project], {
    cwd: ROOT,
  });
  assert.is(packed.code, 0, packed.stderr);
  mkdirSync(installed, { recursive: true });
  const archive = join(project, `ontomem-${manifest.version}.tgz`);
  const unpacked = await run('tar', ['-xzf', archive, '--strip-components=1', '-C', installed]);
  assert.is(unpacked.code, 0, unpacked.stderr);
  for (const name of [...Object.keys(manifest.dependencies), '@types/node', 'undici-types']) {
    const [scope] = name.startsWith('@') ? name.split('/') : [];
    if (scope !== undefined) mkdirSync(join(modules, scope), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name), 'dir');
  }
  mkdirSync(join(modules, '.bin'));
  // As npm does with what `bin` names.
  chmodSync(join(installed, 'dist/src/cli/main.js'), 0o755);
  symlinkSync('../ontomem/dist/src/cli/main.js', join(modules, '.bin/ontomem'));
  // What the package's install script builds; building it again here would take minutes.
  mkdirSync(join(installed, 'build/Release'), { recursive: true });
  cpSync(join(ROOT, 'build/Release/ontomem.node'), join(installed, 'build/Release/ontomem.node'));
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'their-service', type: 'module' }));
  return { project, installed };
}

/** Compiles a file of the project as strictly as TypeScript can, the package's own types included. */
export async function compile({ project }: Installed, name: string, source: string, ...more: string[]) {
  writeFileSync(join(project, name), source);
  const options =
    '--strict --skipLibCheck false --module NodeNext --target ES2023 --types node --exactOptionalPropertyTypes';
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  return run(process.execPath, [compiler, ...options.split(' '), ...more, name], { cwd: project });
}
