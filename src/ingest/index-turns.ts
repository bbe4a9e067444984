// Turns -> turns ready to be written, their vectors from one encoder call, and the writing of them part by part.
import { breathe, inSlices } from '../breather.js';
import type { Encoder } from '../contract/encoder.js';
import type { Scope } from '../contract/scope.js';
import type { Turn } from '../contract/turn.js';
import { OntomemError } from '../errors.js';
import type { IndexedTurn } from '../store/turns/turn-writer.js';
import { passageOf, readPassage } from '../text/passage.js';
import type { IngestParts } from './parts.js';

/** Turns of a transaction: staging and handing over so many takes 5 ms, and packing them for loading up to 3. */
const TURNS_A_COMMIT = 100;

/** Encodes turns and analyses their words; vectors of all turns come from one encoder call. */
export async function indexTurns(
  encoder: Encoder,
  turns: readonly Turn[],
  signal?: AbortSignal,
): Promise<IndexedTurn[]> {
  if (turns.length === 0) return [];
  const { vectors } = await encoder.encode(turns.map(passageOf), {
    role: 'passage',
    ...(signal === undefined ? {} : { signal }),
  });
  const { dimension } = encoder.identity;
  const indexed: IndexedTurn[] = [];
  for (const [position, turn] of turns.entries()) {
    const vector = vectors.slice(position * dimension, (position + 1) * dimension);
    indexed.push(await analyse(turn, vector));
    await breathe();
  }
  return indexed;
}

/** A turn with its vector, ready to be written: its terms and flags are read off its text, in slices. */
export async function analyse(turn: Turn, vector: Float32Array): Promise<IndexedTurn> {
  const { terms, flags } = await inSlices(readPassage(turn));
  const { hashes, counts, length } = terms;
  return { turn, vector, flags, termHashes: hashes, termCounts: counts, length };
}

/**
 * Writes turns in order, a hundred in each durable transaction, so that none holds the event loop.
 * @throws what a commit fails with; behind the first one it says how many turns stand.
 */
export async function writeTurns(
  { writer }: IngestParts,
  scope: Scope,
  indexed: readonly IndexedTurn[],
): Promise<void> {
  for (let at = 0; at < indexed.length; at += TURNS_A_COMMIT) {
    await breathe();
    try {
      await writer.append(scope, indexed.slice(at, at + TURNS_A_COMMIT));
    } catch (error) {
      if (at === 0 || !(error instanceof OntomemError)) throw error;
      throw new OntomemError(error.code, {
        input: error.input,
        problem: `${error.problem}; the first ${at} of ${indexed.length} new turns of the call are stored`,
        cure: `${error.cure}; what is stored already is left alone when its ids are given again`,
        cause: error,
      });
    }
  }
}
