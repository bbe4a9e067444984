// BM25 only: the words of the query, its context and the session dates.
import type { Arm } from '../arm.js';
import { Candidates } from './candidates.js';
import { termCounts } from './lexicon.js';

export const bm25: Arm = {
  name: 'bm25',
  source: 'Okapi BM25 (Robertson and Zaragoza, 2009) over stemmed terms with the words of the date',
  lexicalOnly: true,
  prepare(conversation) {
    const candidates = new Candidates(conversation);
    return (query) => {
      const scores = candidates.lexical(termCounts(query.terms));
      return candidates.ranking(scores, candidates.visible(query), {
        candidatesScored: 0,
        bytesAtRest: candidates.postingBytes,
      });
    };
  },
};
