// IPR as a data set: dealt dialogues, statements alone, cold starts, or the two-person conversations.
import { UsageError } from '../../../src/cli/command.js';
import { composeColdStarts } from '../../ipr/cold-start.js';
import { type Corpus, readCorpus } from '../../ipr/corpus.js';
import { dealDialogues } from '../../ipr/deal.js';
import { friendsConversations } from '../../ipr/friends.js';
import { SPLITS, type Split } from '../../ipr/person.js';
import { type Pool, statementPools } from '../../ipr/statement-pools.js';
import type { BenchConversation, Dataset } from '../dataset.js';

/** Deals of every person that the figures are means over. */
export const DEALS = 5;

/** Five deals of every person's dialogue, or the first few of them; the seed numbers the first. */
export function iprDialogues(corpus: Corpus, seed: number, count = DEALS): Dataset {
  const deals = Array.from({ length: count }, (_, number) => (seed - 1) * DEALS + number + 1);
  return named(
    corpus,
    deals.flatMap((deal) => dealDialogues(corpus.people, deal)),
  );
}

/** The same five apart: the first, on which methods are timed, and the other four. */
export function iprDeals(corpus: Corpus, seed: number): { first: Dataset; others: Dataset } {
  const { conversations } = iprDialogues(corpus, seed);
  return {
    first: named(corpus, conversations.slice(0, corpus.people.length)),
    others: named(corpus, conversations.slice(corpus.people.length)),
  };
}

export function iprStatements(corpus: Corpus, pool: Pool, seed: number): Dataset {
  return named(corpus, statementPools(corpus.people, pool, seed));
}

export function iprColdStarts(corpus: Corpus, seed: number): Dataset {
  return named(corpus, composeColdStarts(corpus.people, seed));
}

export function iprFriends(corpus: Corpus): Dataset {
  return named(corpus, friendsConversations(corpus.friends));
}

/** Reads the corpus of the split of that name. @throws UsageError when the name is no split. */
export function corpusNamed(name: string): Corpus {
  return readCorpus(splitNamed(name));
}

function splitNamed(name: string): Split {
  const split = SPLITS.find((known) => known === name);
  if (split === undefined)
    throw new UsageError(`there is no split '${name}'; there are ${SPLITS.join(', ')}`);
  return split;
}

function named({ split }: Corpus, conversations: readonly BenchConversation[]): Dataset {
  return { name: 'ipr', split, conversations };
}
