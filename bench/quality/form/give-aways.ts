// What a split gives away to whoever does not read the questions: the gates that the corpus must hold.
import type { Turn } from '../../../src/contract/turn.js';
import type { Corpus } from '../../ipr/corpus.js';
import type { Arm, ArmServices } from '../arm.js';
import { blindArms } from '../arms/blind.js';
import { iprDialogues } from '../datasets/ipr.js';
import { mean, recallAt } from '../metrics.js';
import { prepareConversation } from '../prepare.js';
import { formAuc } from './form-model.js';

export interface GiveAways {
  /** AUC of form over the user's turns. */
  auc: number;
  /** R@10 of the ten longest turns. */
  longest10: number;
  /** R@10 of one mean query for all questions. */
  noQuery: number;
}

/** Most of each that a split may give away. */
export const MOST: GiveAways = { auc: 0.7, longest10: 0.25, noQuery: 0.25 };

/** Most of longest10 that one slice of a split may give away. */
export const MOST_OF_SLICE = 0.3;

/** How English says that what was said before holds no longer. */
const CHANGE = /\b(?:now|since|any ?more|no longer)\b/i;

export async function giveAwaysOf(corpus: Corpus, services: ArmServices, seed: number): Promise<GiveAways> {
  return {
    auc: formAuc(corpus),
    longest10: await blindRecall(corpus, 'longest', services, seed),
    noQuery: await blindRecall(corpus, 'no query', services, seed),
  };
}

/** Slice -> R@10 of the ten longest turns over its requests. It needs no encoder. */
export function longest10BySlice(corpus: Corpus, seed: number): Map<string, number> {
  return blindRecallBySlice(corpus, seed, (turns) =>
    [...turns].sort((a, b) => b.text.length - a.text.length),
  );
}

/** The same of the user's turns with a word of change, and then the others, the newest first. */
export function changeWords10BySlice(corpus: Corpus, seed: number): Map<string, number> {
  const tells = ({ speaker, text }: Turn) => speaker === 'User' && CHANGE.test(text);
  return blindRecallBySlice(corpus, seed, (turns) => {
    const newest = [...turns].reverse();
    return [...newest.filter(tells), ...newest.filter((turn) => !tells(turn))];
  });
}

function blindRecallBySlice(
  corpus: Corpus,
  seed: number,
  order: (turns: readonly Turn[]) => Turn[],
): Map<string, number> {
  const recalls = new Map<string, number[]>();
  for (const { turns, queries } of iprDialogues(corpus, seed).conversations) {
    const ids = order(turns).map(({ id }) => id);
    for (const { slices, gold } of queries) {
      // The first label of a request is its slice.
      const [slice = ''] = slices;
      recalls.set(slice, [...(recalls.get(slice) ?? []), recallAt(ids, gold, 10)]);
    }
  }
  return new Map([...recalls].map(([slice, own]) => [slice, mean(own)]));
}

async function blindRecall(
  corpus: Corpus,
  name: string,
  services: ArmServices,
  seed: number,
): Promise<number> {
  const arm = blindArms.find((candidate: Arm) => candidate.name === name);
  if (arm === undefined) throw new RangeError(`there is no blind arm '${name}'`);
  const found: number[] = [];
  for (const dialogue of iprDialogues(corpus, seed).conversations) {
    const { conversation, queries } = await prepareConversation(dialogue, services);
    const rank = await arm.prepare(conversation, services);
    for (const query of queries) found.push(recallAt((await rank(query)).ids, query.gold, 10));
  }
  return mean(found);
}
