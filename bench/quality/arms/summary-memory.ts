// Summary memory: each session is kept as an extractive summary, and only summaries are searched.
import type { Arm, ArmServices, PreparedConversation } from '../arm.js';
import { tokensOf } from '../cost.js';
import { TUNED_BASELINES } from '../tuned.js';
import { Candidates } from './candidates.js';
import { Keyness } from './keyness.js';
import { highest, innerProduct, innerProducts, rowOf } from './scoring.js';
import { type Sentence, sentencesOf, sessionsOf } from './sentences.js';

export interface SummarySettings {
  /** Share of a session's tokens that its summary keeps. */
  share: number;
  /** A sentence is taken with keyness x (1 - redundancy x its cosine with what was taken). */
  redundancy: number;
  /** A turn that left no sentence stands behind the summary's sentence nearest to it, at this part of its score. */
  behind: number;
}

const SETTINGS: SummarySettings = TUNED_BASELINES['summary memory'];

/** A kept sentence with its vector. */
interface Kept {
  sentences: Sentence[];
  vectors: Float32Array;
}

/** Where a turn is found: its own kept sentences, or the one that stands for it and how well. */
interface Stand {
  sentences: number[];
  weight: number;
}

export function summaryArm(settings: SummarySettings = SETTINGS): Arm {
  return {
    name: 'summary memory',
    source:
      'Extractive session summaries by keyness (Luhn, 1958) with redundancy control (MMR: Carbonell and Goldstein, 1998)',
    async prepare(conversation, services) {
      const candidates = new Candidates(conversation);
      const kept = await summarise(conversation, services, settings);
      const stands = standsOf(conversation, kept, settings.behind);
      return (query) => {
        const nearness = innerProducts(kept.vectors, query.vector);
        const scores = Float32Array.from(stands, ({ sentences, weight }) =>
          sentences.length === 0
            ? -1
            : weight * Math.max(...sentences.map((sentence) => nearness[sentence] ?? 0)),
        );
        return {
          ...candidates.ranking(scores, candidates.visible(query)),
          cost: { candidatesScored: kept.sentences.length, bytesAtRest: 4 * kept.vectors.length },
        };
      };
    },
  };
}

export const summaryMemory = summaryArm();

/** The summaries of all sessions. O(sum over sessions of sentences^2 x dimension). */
export async function summarise(
  conversation: PreparedConversation,
  { encodeCached }: ArmServices,
  settings: SummarySettings = SETTINGS,
): Promise<Kept> {
  const { dimension } = conversation;
  const sessions = sessionsOf(conversation).map((turns) =>
    turns.flatMap((turn) => sentencesOf(conversation, turn)),
  );
  const texts = sessions.flat().map(({ text }) => text);
  const vectors = await encodeCached(texts, 'passage');
  const keyness = new Keyness(conversation);
  const kept: number[] = [];
  let first = 0;
  for (const sentences of sessions) {
    const rows = vectors.subarray(first * dimension, (first + sentences.length) * dimension);
    kept.push(...extract(sentences, rows, keyness, dimension, settings).map((sentence) => first + sentence));
    first += sentences.length;
  }
  const all = sessions.flat();
  const rows = new Float32Array(kept.length * dimension);
  for (const [i, sentence] of kept.entries()) rows.set(rowOf(vectors, sentence, dimension), i * dimension);
  return { sentences: kept.flatMap((sentence) => all[sentence] ?? []), vectors: rows };
}

/** Greedy: the sentence that tells most that is not said yet, until the next does not fit the session's budget or tells nothing. */
function extract(
  sentences: readonly Sentence[],
  rows: Float32Array,
  keyness: Keyness,
  dimension: number,
  { share, redundancy }: SummarySettings,
): number[] {
  const telling = Float32Array.from(sentences, ({ words }) => keyness.of(words));
  const said = new Float32Array(sentences.length);
  const left = new Set(sentences.keys());
  let budget = share * sentences.reduce((sum, { text }) => sum + tokensOf(text), 0);
  const taken: number[] = [];
  while (left.size > 0) {
    const worth = telling.map((value, i) => value * (1 - redundancy * (said[i] ?? 0)));
    const [best = 0] = highest(worth, [...left], 1);
    const size = tokensOf(sentences[best]?.text ?? '');
    const tells = (worth[best] ?? 0) > 0;
    if (!tells || (taken.length > 0 && size > budget)) break;
    left.delete(best);
    taken.push(best);
    budget -= size;
    const row = rowOf(rows, best, dimension);
    for (const i of left) said[i] = Math.max(said[i] ?? 0, innerProduct(rows, i, row));
  }
  return taken.sort((a, b) => a - b);
}

/** O(turns x kept sentences of the session x dimension). */
function standsOf(conversation: PreparedConversation, kept: Kept, behind: number): Stand[] {
  const own = new Map<number, number[]>();
  for (const [i, { turn }] of kept.sentences.entries()) own.set(turn, [...(own.get(turn) ?? []), i]);
  const stands: Stand[] = conversation.turns.map((_, turn) => ({
    sentences: own.get(turn) ?? [],
    weight: 1,
  }));
  for (const session of sessionsOf(conversation)) {
    const summary = session.flatMap((turn) => own.get(turn) ?? []);
    for (const turn of session.filter((position) => !own.has(position))) {
      const row = rowOf(conversation.vectors, turn, conversation.dimension);
      const cosines = Float32Array.from(summary, (sentence) => innerProduct(kept.vectors, sentence, row));
      const [nearest] = highest(cosines, [...summary.keys()], 1);
      const sentence = nearest === undefined ? undefined : summary[nearest];
      if (sentence === undefined) continue;
      stands[turn] = { sentences: [sentence], weight: behind * Math.max(0, cosines[nearest ?? 0] ?? 0) };
    }
  }
  return stands;
}
