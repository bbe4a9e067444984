// Dense search reranked by a cross-encoder.
import type { Arm } from '../arm.js';
import { Candidates } from './candidates.js';
import { CrossEncoder } from './cross-encoder.js';
import { standardised, weightedSum } from './scoring.js';

export interface CrossEncoderSettings {
  /** Candidates read: the first by cosine. */
  depth: number;
  /** Weight of the logit against 1 - weight for the cosine, both standardised over the candidates. */
  weight: number;
}

/** Depth as in the paper's class of method; weight: the best on a fifth of IPR dev (alone it ruins implicit queries: .35). */
const SETTINGS: CrossEncoderSettings = { depth: 50, weight: 0.4 };

/** The arm over the model in `folder`, which is opened when the first conversation is prepared. */
export function crossEncoderArm(folder: string, settings: CrossEncoderSettings = SETTINGS): Arm {
  let opened: Promise<CrossEncoder> | undefined;
  return {
    name: 'cross-encoder',
    source:
      'Dense, then a BERT that reads query and turn together (Nogueira and Cho, 2019; MiniLM on MS MARCO)',
    async prepare(conversation) {
      opened ??= CrossEncoder.open(folder);
      const model = await opened;
      const candidates = new Candidates(conversation);
      return async (query) => {
        const dense = candidates.dense(query.vector);
        const ordered = candidates.ordered(dense, candidates.visible(query));
        const first = ordered.slice(0, settings.depth);
        const passages = first.map((position) => conversation.passages[position] ?? '');
        const read = await model.score(query.words, passages);
        const logits = new Float32Array(dense.length);
        for (const [i, position] of first.entries()) logits[position] = read.scores[i] ?? 0;
        const scores = weightedSum(
          [1 - settings.weight, standardised(dense, first)],
          [settings.weight, standardised(logits, first)],
        );
        return candidates.reranked(scores, first, ordered, { crossEncoderTokens: read.tokens });
      };
    },
  };
}
