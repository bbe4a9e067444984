// IPR as a data set: composed dialogues, cold starts, or the two-person conversations.
import { UsageError } from '../../../src/cli/command.js';
import { composeColdStarts } from '../../ipr/cold-start.js';
import { composeDialogues, type History } from '../../ipr/compose.js';
import { type Corpus, readCorpus, SPLITS, type Split } from '../../ipr/corpus.js';
import { friendsConversations } from '../../ipr/friends.js';
import type { BenchConversation, Dataset } from '../dataset.js';

export const IPR_PARTS = ['dialogues', 'friends', 'coldstart'] as const;
export type IprPart = (typeof IPR_PARTS)[number];

/** The label of keyword-free queries, which the main figures are about. */
export const IMPLICIT = 'query=implicit';

/** Composes a part of a split; the same seed gives the same data set. */
export function iprDataset(split: Split, part: IprPart, seed: number, history: History = 1): Dataset {
  const corpus = readCorpus(split);
  return { name: 'ipr', split, conversations: conversationsOf(corpus, part, seed, history) };
}

/** @throws UsageError when the name is no split. */
export function splitNamed(name: string): Split {
  const split = SPLITS.find((known) => known === name);
  if (split === undefined)
    throw new UsageError(`there is no split '${name}'; there are ${SPLITS.join(', ')}`);
  return split;
}

function conversationsOf(corpus: Corpus, part: IprPart, seed: number, history: History): BenchConversation[] {
  if (part === 'friends') return friendsConversations(corpus);
  if (part === 'coldstart') return composeColdStarts(corpus, seed);
  return composeDialogues(corpus, seed, history);
}
