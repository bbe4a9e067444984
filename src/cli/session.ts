// How a command reaches the memory its options name.

import type { OpenOptions } from '../contract/memory.js';
import type { Scope } from '../contract/scope.js';
import type { Memory } from '../memory/memory.js';
import type { Invocation } from './command.js';

export function scopeOf(invocation: Invocation): Scope {
  return { tenant: invocation.text('tenant') ?? '', user: invocation.text('user') ?? '' };
}

export function storePath(invocation: Invocation): string {
  return invocation.text('store') ?? process.env.ONTOMEM_STORE ?? './ontomem-store';
}

export function encoderOf(invocation: Invocation): string | undefined {
  return invocation.text('encoder') ?? process.env.ONTOMEM_ENCODER;
}

/** Opens the memory, runs `work`, closes it whatever happened. */
export async function withMemory<T>(
  invocation: Invocation,
  work: (memory: Memory) => Promise<T>,
  options: Pick<OpenOptions, 'readOnly' | 'reencode'> = {},
): Promise<T> {
  // Loaded when it is used: the encoder's runtime takes longer than a help text may.
  const { openMemory } = await import('../memory/memory.js');
  const encoder = encoderOf(invocation);
  const memory = await openMemory({
    path: storePath(invocation),
    ...(encoder === undefined ? {} : { encoder }),
    ...options,
  });
  try {
    return await work(memory);
  } finally {
    await memory.close();
  }
}
