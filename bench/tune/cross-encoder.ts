// The weight of a cross-encoder's word against the cosine: chosen on a sample of the requests, since it reads each pair.
import { readCorpus } from '../ipr/corpus.js';
import { type CrossEncoderSettings, crossEncoderArm } from '../quality/arms/cross-encoder-rerank.js';
import { iprDialogues } from '../quality/datasets/ipr.js';
import { sampleQueries } from '../quality/sample.js';
import { TUNED_BASELINES } from '../quality/tuned.js';
import { CHOSEN_ON, prepareDataset, scoreOf } from './objective.js';
import type { Tunable } from './tunable.js';

/** Requests of each split; fifty pairs each. */
const REQUESTS = 40;

/** `folder` holds the model; each pair is read once, whatever the weights. */
export function crossEncoderGrid(folder: string): Tunable<Pick<CrossEncoderSettings, 'weight'>> {
  return {
    name: 'cross-encoder',
    start: { weight: 0 },
    committed: TUNED_BASELINES['cross-encoder'],
    grid: { weight: [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1] },
    place: { file: 'bench/quality/tuned.ts', block: "  'cross-encoder': {" },
    async measure({ services, seed }) {
      const prepared = await Promise.all(
        CHOSEN_ON.map((split) =>
          prepareDataset(sampleQueries(iprDialogues(readCorpus(split), seed, 1), REQUESTS, seed), services),
        ),
      );
      return ({ weight }) => scoreOf(crossEncoderArm(folder, { weight }), prepared.flat(), services);
    },
  };
}
