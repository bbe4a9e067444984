// The built module once more, in a folder of its own: another copy in the same process.
import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './processes.js';
import { temporaryFolder } from './temporary-folder.js';

/** Where the addon lies inside of a module. */
const ADDON = 'build/Release/ontomem.node';

/** Imports a file of the copy by its path under the root; `addon` is the one the copy is to load. */
export function moduleCopy(addon = join(ROOT, ADDON)): <T>(file: string) => Promise<T> {
  const folder = temporaryFolder('copy');
  for (const name of ['dist', 'models', 'src/contract'])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  cpSync(addon, join(folder, ADDON));
  cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return async <T>(file: string) => (await import(join(folder, file))) as T;
}
