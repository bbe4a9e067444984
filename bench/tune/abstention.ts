// When a query bears on nothing: how much nearer to nonsense than to any turn it must be.
import { EncoderScale } from '../../src/retrieve/encoder-scale.js';
import { TUNED_ABSTENTION } from '../../src/retrieve/tuned.js';
import { innerProducts, rowOf } from '../quality/arms/scoring.js';
import { between, type Random, seededRandom } from '../random.js';
import type { Tunable } from './tunable.js';

/** Nine queries in ten mean something. */
const MEANT = 0.9;
const GIBBERISH = 400;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const VOWELS = 'aeiou';

/**
 * The share of gibberish that is stopped and of requests that are let through, weighted by how often either is asked.
 * Words in common are left aside: in the product a query that shares one with memory is never stopped.
 */
export const ABSTENTION: Tunable<typeof TUNED_ABSTENTION> = {
  name: 'abstention',
  start: { nonsenseMargin: 0 },
  committed: TUNED_ABSTENTION,
  grid: { nonsenseMargin: [-0.1, -0.05, 0, 0.05, 0.1] },
  place: { file: 'src/retrieve/tuned.ts', block: 'TUNED_ABSTENTION' },
  async measure({ ground, services }) {
    const scale = await EncoderScale.measure(services.encoder);
    const { dimension } = services.encoder.identity;
    const random = seededRandom('gibberish');
    const texts = Array.from({ length: GIBBERISH }, () => gibberish(random));
    const vectors = await services.encodeCached(texts, 'query');
    /** By how much a query is nearer to nonsense than to any turn of the conversation. */
    const nearer = (query: Float32Array, turns: Float32Array) =>
      scale.nearestNonsense(query) - Math.max(...innerProducts(turns, query));
    const meant = ground.dialogues.flatMap(({ conversation, queries }) =>
      queries.map(({ vector }) => nearer(vector, conversation.vectors)),
    );
    const meaningless = texts.map((_, row) => {
      const dialogue = ground.dialogues[row % ground.dialogues.length]?.conversation;
      return nearer(rowOf(vectors, row, dimension), dialogue?.vectors ?? new Float32Array());
    });
    const share = (values: readonly number[], margin: number) =>
      values.filter((value) => value > margin).length / values.length;
    return ({ nonsenseMargin }) =>
      MEANT * (1 - share(meant, nonsenseMargin)) + (1 - MEANT) * share(meaningless, nonsenseMargin);
  },
};

/** Two to five words of letters, of syllables, or of digits. */
function gibberish(random: Random): string {
  const kind = between(random, 0, 2);
  const from = (characters: string) => characters[between(random, 0, characters.length - 1)] ?? '';
  const piece = [
    () => from(LETTERS),
    () => from(LETTERS) + from(VOWELS),
    () => String(between(random, 0, 9)),
  ][kind];
  return Array.from({ length: between(random, 2, 5) }, () =>
    Array.from({ length: between(random, 2, 4) }, () => piece?.() ?? '').join(''),
  ).join(' ');
}
