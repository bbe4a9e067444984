// Runs an attack: starts the actors, kills them at random, fills the disk, and adds up what they say.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openMemory } from '../../../src/memory/memory.js';
import { TinyEncoder } from '../../support/tiny-encoder.js';
import { LedgerReader } from './ledger.js';
import { readOnce } from './reader.js';
import { type Line, noTally, type Tally } from './report.js';

export interface Attack {
  folder: string;
  milliseconds: number;
  /** Processes that write, in turn; `threads` writes and reads in workers that are ended. */
  writers: ReadonlyArray<'writer' | 'threads'>;
  readers: number;
  /** Kill -9 an actor about so often. */
  killEveryMs?: number;
  /** The store lies on a disk of so many bytes, which is filled and emptied. */
  smallDiskBytes?: number;
}

export interface Result extends Tally {
  kills: number;
  fills: number;
  details: string[];
}

const ACTOR = fileURLToPath(new URL('./actor.js', import.meta.url));
const MOST_DETAILS = 20;
const FILL_EVERY_MS = 1500;

export async function attack(plan: Attack): Promise<Result> {
  const disk = join(plan.folder, 'disk');
  mkdirSync(disk, { recursive: true });
  const unmount = plan.smallDiskBytes === undefined ? undefined : mountSmall(disk, plan.smallDiskBytes);
  const options = { path: join(disk, 'store'), ledger: join(plan.folder, 'ledger') };
  const result: Result = { ...noTally(), kills: 0, fills: 0, details: [] };
  const end = performance.now() + plan.milliseconds;
  try {
    const roles = ['writer', ...Array.from({ length: plan.readers }, () => 'reader')];
    await Promise.all([
      ...roles.map((role) => keepRunning(role, options, plan, end, result)),
      ...(unmount === undefined ? [] : [fillAndEmpty(disk, end, result)]),
    ]);
    await lastLook(options, result);
  } finally {
    unmount?.();
  }
  return result;
}

/** One actor after the other in this place, some of them killed. */
async function keepRunning(
  role: string,
  options: { path: string; ledger: string },
  { writers, killEveryMs }: Attack,
  end: number,
  result: Result,
): Promise<void> {
  for (let turn = 0; performance.now() < end; turn++) {
    const played = role === 'writer' ? writers[turn % writers.length] : role;
    const child = spawn(process.execPath, [ACTOR, JSON.stringify({ role: played, options })], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, NODE_NO_WARNINGS: '1' },
    });
    const kill = () => child.kill('SIGKILL');
    const atEnd = setTimeout(kill, end - performance.now());
    let killing: NodeJS.Timeout | undefined;
    // Loading takes most of a short life: the clock runs from the first thing it says.
    child.stdout?.once('data', () => {
      if (killEveryMs === undefined) return;
      killing = setTimeout(
        () => {
          result.kills++;
          kill();
        },
        Math.random() * 2 * killEveryMs,
      );
    });
    await listen(child, result);
    clearTimeout(atEnd);
    clearTimeout(killing);
  }
}

/** Adds up what an actor says until it is gone; a death that nobody asked for is a raw error. */
async function listen(child: ChildProcess, result: Result): Promise<void> {
  let complaints = '';
  child.stderr?.on('data', (text) => {
    complaints = `${complaints}${text}`.slice(-2000);
  });
  child.stdin?.on('error', () => undefined);
  if (child.stdout !== null) {
    for await (const line of createInterface({ input: child.stdout })) add(result, JSON.parse(line) as Line);
  }
  if (child.exitCode === null && child.signalCode === null) {
    await new Promise((resolve) => child.once('exit', resolve));
  }
  if (child.signalCode === 'SIGKILL') return;
  add(result, {
    tally: { raw: 1 },
    details: `ended with ${child.exitCode ?? child.signalCode}: ${complaints}`,
  });
}

function add(result: Result, { tally, details }: Line): void {
  for (const [key, count] of Object.entries(tally) as Array<[keyof Tally, number]>) result[key] += count;
  if (details !== undefined && result.details.length < MOST_DETAILS) result.details.push(details);
}

/** After the attack: the store opens for writing, and holds what was promised. */
async function lastLook(options: { path: string; ledger: string }, result: Result): Promise<void> {
  const lines: Line[] = [];
  try {
    const memory = await openMemory({ path: options.path, encoder: new TinyEncoder() });
    await readOnce(memory, new LedgerReader(options.ledger), (tally, details) =>
      lines.push({ tally, ...(details === undefined ? {} : { details }) }),
    );
    await memory.close();
  } catch (error) {
    lines.push({ tally: { raw: 1 }, details: `last look: ${(error as Error).stack}` });
  }
  for (const line of lines) add(result, line);
}

async function fillAndEmpty(disk: string, end: number, result: Result): Promise<void> {
  const filler = join(disk, 'filler');
  while (performance.now() < end) {
    await wait(Math.random() * FILL_EVERY_MS);
    try {
      for (let bytes = 1 << 20; bytes >= 4096; ) {
        try {
          writeFileSync(filler, Buffer.alloc(bytes), { flag: 'a' });
        } catch {
          bytes /= 2;
        }
      }
    } finally {
      result.fills++;
    }
    await wait(Math.random() * FILL_EVERY_MS);
    rmSync(filler, { force: true });
  }
  rmSync(filler, { force: true });
}

function mountSmall(at: string, bytes: number): () => void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', at], { stdio: 'ignore' });
  return () => execFileSync('umount', ['-l', at], { stdio: 'ignore' });
}

/** Whether this machine lets us mount. */
export function mayMount(folder: string): boolean {
  const at = join(folder, 'probe');
  mkdirSync(at, { recursive: true });
  try {
    mountSmall(at, 1 << 20)();
    return true;
  } catch {
    return false;
  }
}
