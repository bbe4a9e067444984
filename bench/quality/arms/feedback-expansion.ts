// Query expansion: a first search, pseudo-relevance feedback on both views, a second search.
import type { Arm } from '../arm.js';
import { TUNED_BASELINES } from '../tuned.js';
import { Candidates } from './candidates.js';
import { type TermWeights, termCounts } from './lexicon.js';
import { believe, expandTerms, type FeedbackSettings, moveVector } from './pseudo-feedback.js';
import { standardised, weightedSum } from './scoring.js';

export interface ExpansionSettings extends FeedbackSettings {
  /** Share of the dense view in both searches. */
  denseShare: number;
}

const SETTINGS: ExpansionSettings = TUNED_BASELINES['query expansion'];

export function expansionArm(settings: ExpansionSettings = SETTINGS): Arm {
  return {
    name: 'query expansion',
    source: 'RM3 (Abdul-Jaleel et al., TREC 2004) on terms and Rocchio (1971) on vectors',
    prepare(conversation) {
      const candidates = new Candidates(conversation);
      const { lexicon } = candidates;
      return (query) => {
        const visible = candidates.visible(query);
        const search = (vector: Float32Array, terms: TermWeights) =>
          weightedSum(
            [settings.denseShare, standardised(candidates.dense(vector), visible)],
            [1 - settings.denseShare, standardised(candidates.lexical(terms), visible)],
          );
        const own = termCounts(query.terms);
        const first = search(query.vector, own);
        const found = candidates.ordered(first, visible).slice(0, settings.turns);
        const believed = believe(first, found);
        const terms = expandTerms(
          own,
          conversation,
          believed,
          (key) => lexicon.inverseFrequency(key),
          settings,
        );
        const second = search(moveVector(query.vector, conversation, believed, settings), terms);
        return candidates.ranking(second, visible, {
          candidatesScored: 2 * conversation.turns.length,
          bytesAtRest: candidates.bothBytes,
        });
      };
    },
  };
}

export const queryExpansion = expansionArm();
