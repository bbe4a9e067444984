// Dense search reranked by a cross-encoder.
import type { Arm } from '../arm.js';
import { TUNED_BASELINES } from '../tuned.js';
import { Candidates } from './candidates.js';
import { CrossEncoder } from './cross-encoder.js';
import { standardised, weightedSum } from './scoring.js';

/** Candidates read: the first by cosine, as many as in the paper's class of method. */
const DEPTH = 50;

export interface CrossEncoderSettings {
  /** Weight of the logit against 1 - weight for the cosine, both standardised over the candidates. */
  weight: number;
}

/** What a model made of one pair. */
interface Read {
  logit: number;
  tokens: number;
}

/** Folder -> the model with what it has read. */
const readers = new Map<string, Promise<Reader>>();

/** The arm over the model in `folder`, which is opened when the first conversation is prepared. */
export function crossEncoderArm(
  folder: string,
  { weight }: CrossEncoderSettings = TUNED_BASELINES['cross-encoder'],
): Arm {
  return {
    name: 'cross-encoder',
    source:
      'Dense, then a BERT that reads query and turn together (Nogueira and Cho, 2019; MiniLM on MS MARCO)',
    async prepare(conversation) {
      const opened = readers.get(folder) ?? CrossEncoder.open(folder).then((model) => new Reader(model));
      readers.set(folder, opened);
      const reader = await opened;
      const candidates = new Candidates(conversation);
      return async (query) => {
        const dense = candidates.dense(query.vector);
        const ordered = candidates.ordered(dense, candidates.visible(query));
        const first = ordered.slice(0, DEPTH);
        const read = await reader.read(
          query.words,
          first.map((position) => conversation.passages[position] ?? ''),
        );
        const logits = new Float32Array(dense.length);
        for (const [i, position] of first.entries()) logits[position] = read[i]?.logit ?? 0;
        const scores = weightedSum(
          [1 - weight, standardised(dense, first)],
          [weight, standardised(logits, first)],
        );
        const crossEncoderTokens = read.reduce((sum, { tokens }) => sum + tokens, 0);
        return candidates.reranked(scores, first, ordered, { crossEncoderTokens });
      };
    },
  };
}

/** Reads each pair once: deals of one person ask the same of the same turns; the first one is timed. */
class Reader {
  readonly #model: CrossEncoder;
  readonly #known = new Map<string, Map<string, Read>>();

  constructor(model: CrossEncoder) {
    this.#model = model;
  }

  async read(query: string, passages: readonly string[]): Promise<Read[]> {
    const known = this.#known.get(query) ?? new Map<string, Read>();
    this.#known.set(query, known);
    const missing = [...new Set(passages)].filter((passage) => !known.has(passage));
    const { scores, tokens } = await this.#model.score(query, missing);
    for (const [i, passage] of missing.entries())
      known.set(passage, { logit: scores[i] ?? 0, tokens: tokens[i] ?? 0 });
    return passages.flatMap((passage) => known.get(passage) ?? []);
  }
}
