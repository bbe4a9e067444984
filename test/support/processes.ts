// Real processes: the CLI, and small programs of test/support.
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
export const CLI = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));

export interface Finished {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  input?: string;
  env?: Record<string, string>;
  cwd?: string;
  /** Arguments of node itself, before the program. */
  node?: readonly string[];
}

/** Runs a program to its end; a test that hangs is killed by the runner. */
export async function run(
  file: string,
  args: readonly string[],
  { input, env, cwd }: RunOptions = {},
): Promise<Finished> {
  const child = spawn(file, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, NODE_NO_WARNINGS: '1', ...env },
    ...(cwd === undefined ? {} : { cwd }),
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  // A program that does not read its input may be gone before it is written.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input ?? '');
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { code, signal, stdout, stderr };
}

export async function runNode(
  script: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Finished> {
  return run(process.execPath, [...(options.node ?? []), script, ...args], options);
}

export async function runCli(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  return runNode(CLI, args, options);
}

/** Runs a program of test/support to its end. */
export async function runHelper(
  name: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Finished> {
  return runNode(fileURLToPath(new URL(`./${name}.js`, import.meta.url)), args, options);
}

const started = new Set<Helper>();

/** For a suite's `after`: a failed test leaves helpers behind, and they would keep its process alive. */
export function killHelpers(): void {
  for (const helper of started) helper.kill();
}

/** A program of test/support that talks in lines. */
export class Helper {
  readonly process: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor(name: string, args: readonly string[], options: SpawnOptions = {}) {
    const script = fileURLToPath(new URL(`./${name}.js`, import.meta.url));
    this.process = spawn(process.execPath, [script, ...args], {
      stdio: ['pipe', 'pipe', 'inherit'],
      ...options,
    });
    this.process.stdin?.on('error', () => undefined);
    started.add(this);
    if (this.process.stdout === null) throw new Error('the helper has no stdout');
    this.#lines = createInterface({ input: this.process.stdout })[Symbol.asyncIterator]();
  }

  say(line: string): void {
    this.process.stdin?.write(`${line}\n`);
  }

  /** The next line it prints; undefined when it has ended. */
  async line(): Promise<string | undefined> {
    const { value, done } = await this.#lines.next();
    return done ? undefined : value;
  }

  async ask(line: string): Promise<string | undefined> {
    this.say(line);
    return this.line();
  }

  kill(): void {
    this.process.kill('SIGKILL');
  }

  async ended(): Promise<void> {
    if (this.process.exitCode === null && this.process.signalCode === null) await once(this.process, 'exit');
  }
}
