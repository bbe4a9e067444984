// Memories in temporary folders with the tiny encoder, and what a test wants to see of them.
import { join } from 'node:path';
import type { OpenOptions } from '../../src/contract/memory.js';
import type { Scope } from '../../src/contract/scope.js';
import type { Turn, TurnInput } from '../../src/contract/turn.js';
import { type Memory, openMemory } from '../../src/memory/memory.js';
import { all } from './expecting.js';
import { temporaryFolder } from './temporary-folder.js';
import { TinyEncoder } from './tiny-encoder.js';

export const ADA: Scope = { tenant: 'acme', user: 'ada' };
export const BO: Scope = { tenant: 'acme', user: 'bo' };

/** The path of a store that does not exist yet. */
export function newStorePath(name = 'store'): string {
  return join(temporaryFolder(name), 'store');
}

/** Opens a memory that closes itself at the end of the block (`await using`). */
export async function openTiny(options: Partial<OpenOptions> = {}): Promise<Memory> {
  return openMemory({ path: newStorePath(), encoder: new TinyEncoder(), ...options });
}

/** `count` dated turns of two speakers with ids t0, t1, ...: each with a word of its own and one of three. */
export function someTurns(count: number, from = 0): TurnInput[] {
  return Array.from({ length: count }, (_, offset) => {
    const n = from + offset;
    return {
      id: `t${n}`,
      speaker: n % 2 === 0 ? 'Ada' : 'Bo',
      text: `${TOPICS[n % TOPICS.length]} word${n} and trio${Math.floor(n / 3)}`,
      at: Date.UTC(2024, 0, 1) + n * 60_000,
    };
  });
}

const TOPICS = ['tea in the garden', 'a train to Lisbon', 'the violin lesson', 'bread with rye', 'old maps'];

export async function turnsOf(memory: Memory, scope: Scope): Promise<Turn[]> {
  return all(memory.turns({ scope }));
}

export async function idsOf(memory: Memory, scope: Scope): Promise<string[]> {
  return (await turnsOf(memory, scope)).map(({ id }) => id);
}

/** Ids with scores, as a recall gives them. */
export async function ranking(memory: Memory, scope: Scope, query: string, limit = 20): Promise<string[]> {
  const { evidence } = await memory.recall({ scope, query, limit });
  return evidence.map(({ turnId, score }) => `${turnId} ${score.toFixed(6)}`);
}
