// What a split gives away to whoever does not read the questions: the gates that the corpus must hold.
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

export async function giveAwaysOf(corpus: Corpus, services: ArmServices, seed: number): Promise<GiveAways> {
  return {
    auc: formAuc(corpus),
    longest10: await blindRecall(corpus, 'longest', services, seed),
    noQuery: await blindRecall(corpus, 'no query', services, seed),
  };
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
