// Small disks and read-only folders, where this user may mount them.
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './temporary-folder.js';

/** Mounts something for the test's time; undefined where this user may not. */
export function mounted(options: readonly string[], at: string): (() => void) | undefined {
  mkdirSync(at, { recursive: true });
  try {
    execFileSync('mount', [...options, at], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  let there = true;
  const unmount = () => {
    if (!there) return;
    there = false;
    try {
      execFileSync('umount', ['--lazy', at], { stdio: 'ignore' });
    } catch {
      // It is gone already.
    }
  };
  process.prependOnceListener('exit', unmount);
  return unmount;
}

/** Whether this user may mount. */
export function mayMount(): boolean {
  const unmount = mounted(
    ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs'],
    join(temporaryFolder('mount-probe'), 'at'),
  );
  unmount?.();
  return unmount !== undefined;
}

/** Kinds of small disks: what happens on a full one differs. */
export const SMALL_DISKS: Record<string, (bytes: number, at: string) => (() => void) | undefined> = {
  tmpfs: (bytes, at) => mounted(['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs'], at),
  ext4: (bytes, at) => {
    const image = join(temporaryFolder('image'), 'ext4');
    try {
      execFileSync('truncate', ['-s', String(bytes), image], { stdio: 'ignore' });
      execFileSync('mkfs.ext4', ['-q', '-F', '-m', '0', '-O', '^has_journal', image], { stdio: 'ignore' });
    } catch {
      return undefined;
    }
    return mounted(['-o', 'loop', image], at);
  },
};
