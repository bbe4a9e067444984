// Turns -> turns ready to be written: their vectors from one encoder call, their words and flags analysed.
import type { Encoder } from '../contract/encoder.js';
import type { Turn } from '../contract/turn.js';
import type { IndexedTurn } from '../store/turns/turn-writer.js';
import { passageFlags, passageOf, passageTerms } from '../text/passage.js';

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
  return turns.map((turn, position) =>
    analyse(turn, vectors.slice(position * dimension, (position + 1) * dimension)),
  );
}

/** A turn with its vector, ready to be written: its terms and flags are read off its text. */
export function analyse(turn: Turn, vector: Float32Array): IndexedTurn {
  const { hashes, counts, length } = passageTerms(turn);
  return { turn, vector, flags: passageFlags(turn), termHashes: hashes, termCounts: counts, length };
}
