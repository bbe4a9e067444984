// The native core's benchmark programs: built once in a folder of their own, run, their rows read.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { UsageError } from '../../src/cli/command.js';

/** One row of a benchmark: names of figures, and text that labels them. */
export type Row = Record<string, number | string>;

const root = fileURLToPath(new URL('../../../', import.meta.url));
const folder = join(root, 'build', 'bench');

/** Builds a target of CMakeLists.txt (ONTOMEM_TESTS) in release mode. @throws UsageError without CMake. */
export function buildProgram(name: string): string {
  mkdirSync(folder, { recursive: true });
  const require = createRequire(import.meta.url);
  const headers = ['node-api-headers', 'node-addon-api'].map(
    (each) => (require(each) as { include_dir: string }).include_dir,
  );
  const options = ['-DONTOMEM_TESTS=ON', '-DCMAKE_BUILD_TYPE=Release', `-DCMAKE_JS_INC=${headers.join(';')}`];
  cmake('-S', root, '-B', folder, ...options);
  cmake('--build', folder, '--target', name, '--parallel', '2');
  return join(folder, name);
}

/** Runs a program and yields the JSON object of every line. */
export async function* rowsOf(program: string, args: readonly string[]): AsyncGenerator<Row> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('{')) yield JSON.parse(line) as Row;
  }
  const status = await ended;
  if (status !== 0) throw new Error(`${program} ended with status ${status}`);
}

function cmake(...args: string[]): void {
  const { status, error, stdout, stderr } = spawnSync('cmake', args, { encoding: 'utf8' });
  if (error !== undefined) throw new UsageError('this benchmark needs CMake 3.21 or newer: install cmake');
  if (status !== 0) throw new Error(`cmake ${args.join(' ')} failed:\n${`${stdout}${stderr}`.slice(-4000)}`);
}
