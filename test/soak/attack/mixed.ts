// The mixed attack: openings beside a writer, ended workers, kills, full disks, forgets, compactions, imports.
import { join } from 'node:path';
import { type Attack, attack, mayMount, type Result } from './referee.js';
import { noTally, type Tally } from './report.js';

export interface Mixed extends Result {
  /** Phases that this machine does not allow, each with a sentence. */
  skipped: string[];
}

/** A small disk: room for some thousand turns and for one compaction of them. */
const SMALL_DISK_BYTES = 24 * 1024 * 1024;
const KILL_EVERY_MS = 1500;
const READERS = 3;
/** Each phase has a store of its own; long runs start over, so that stores stay small enough to be read whole. */
const LONGEST_PHASE_MS = 60_000;

export async function mixedAttack(folder: string, milliseconds: number): Promise<Mixed> {
  const total: Mixed = { ...noTally(), kills: 0, fills: 0, details: [], skipped: [] };
  const small = mayMount(folder);
  if (!small) total.skipped.push('small-disk phases: this machine does not let the test mount a disk');
  const end = performance.now() + milliseconds;
  const phases: ReadonlyArray<Partial<Attack>> = [
    { writers: ['writer', 'threads'], killEveryMs: KILL_EVERY_MS },
    ...(small ? [{ writers: ['writer' as const], smallDiskBytes: SMALL_DISK_BYTES }] : []),
  ];
  for (let phase = 0; performance.now() < end; phase++) {
    const kind = phases[phase % phases.length] ?? {};
    const share = Math.max(milliseconds / phases.length, 1000);
    const left = end - performance.now();
    const result = await attack({
      folder: join(folder, `phase-${phase}`),
      writers: ['writer'],
      readers: READERS,
      ...kind,
      milliseconds: Math.min(share, LONGEST_PHASE_MS, left),
    });
    add(total, result);
  }
  return total;
}

export function wentWrong({ losses, wrong, raw }: Result): boolean {
  return losses + wrong + raw > 0;
}

function add(total: Mixed, result: Result): void {
  for (const name of [...Object.keys(noTally()), 'kills', 'fills'] as Array<
    keyof Tally | 'kills' | 'fills'
  >) {
    total[name] += result[name];
  }
  total.details.push(...result.details);
}
