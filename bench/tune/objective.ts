// What constants are chosen by: the requests and the friends' questions of the train and dev splits, and nothing else.
import { type Corpus, readCorpus } from '../ipr/corpus.js';
import type { Split } from '../ipr/person.js';
import type { Arm, ArmServices } from '../quality/arm.js';
import { type Dataset, gradesOf } from '../quality/dataset.js';
import { iprDialogues, iprFriends, iprStatements } from '../quality/datasets/ipr.js';
import { mean, ndcgAt, recallAt } from '../quality/metrics.js';
import { encodeDataset, type Prepared, prepareConversation } from '../quality/prepare.js';

/** Splits that constants may be chosen on. */
export const CHOSEN_ON: readonly Split[] = ['train', 'dev'];

/** Fewer than the figures' deals: more move no constant and take the time. */
const DEALS_TUNED_ON = 2;

/** The three things a memory is asked, each weighing the same. */
export interface Ground {
  dialogues: readonly Prepared[];
  statements: readonly Prepared[];
  friends: readonly Prepared[];
}

export async function prepareGround(services: ArmServices, seed: number): Promise<Ground> {
  const corpora = CHOSEN_ON.map((split) => readCorpus(split));
  const prepared = (build: (corpus: Corpus) => Dataset) =>
    Promise.all(corpora.map((corpus) => prepareDataset(build(corpus), services))).then((all) => all.flat());
  return {
    dialogues: await prepared((corpus) => iprDialogues(corpus, seed, DEALS_TUNED_ON)),
    statements: await prepared((corpus) => iprStatements(corpus, 'plus50', seed)),
    // The lift is trained on the friends of the train split.
    friends: await prepareDataset(iprFriends(readCorpus('dev')), services),
  };
}

/** Mean over the three of the mean of R@10 and nDCG@10. */
export async function objective(arm: Arm, ground: Ground, services: ArmServices): Promise<number> {
  const parts: number[] = [];
  for (const conversations of Object.values(ground) as Array<readonly Prepared[]>) {
    const scores: number[] = [];
    for (const { conversation, queries } of conversations) {
      const rank = await arm.prepare(conversation, services);
      for (const query of queries) {
        if (query.gold.size === 0) continue;
        const { ids } = await rank(query);
        scores.push((recallAt(ids, query.gold, 10) + ndcgAt(ids, gradesOf(query), 10)) / 2);
      }
    }
    parts.push(mean(scores));
  }
  return mean(parts);
}

async function prepareDataset(dataset: Dataset, services: ArmServices): Promise<Prepared[]> {
  await encodeDataset(dataset, services);
  const prepared: Prepared[] = [];
  for (const conversation of dataset.conversations) {
    prepared.push(await prepareConversation(conversation, services));
  }
  return prepared;
}
