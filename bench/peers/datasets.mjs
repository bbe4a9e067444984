// The data sets that peers are measured on, by name; a data set whose files are not given is left out.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { corpusNamed, iprDialogues, iprStatements } from '../../dist/bench/quality/datasets/ipr.js';
import { locomoDataset } from '../../dist/bench/quality/datasets/locomo.js';
import { prefevalDataset, prefevalStatements } from '../../dist/bench/quality/datasets/prefeval.js';
import { sampleQueries } from '../../dist/bench/quality/sample.js';

export const SEED = 1;
/** Five deals of a person would be five users with nearly the same turns: mem0 reads those of all users. */
const ONE_DEAL = 1;
const NEEDS_DATA = 'pass --data FOLDER or set ONTOMEM_SHARED to the folder above data/';

/** Names to a function of the data folder; each keeps questions with an answer only. */
const SETS = {
  ipr: () => iprDialogues(corpusNamed('test'), SEED, ONE_DEAL),
  'ipr statements': () => iprStatements(corpusNamed('test'), 'plus50', SEED),
  locomo: (data) =>
    only(locomoDataset(join(data, 'locomo10.json')), (slices) => !slices.includes('category=5')),
  prefeval: (data) => prefevalDataset(join(data, 'prefeval'), join(data, 'locomo10.json'), 'explicit', SEED),
  'prefeval statements': (data) => prefevalStatements(join(data, 'prefeval'), 'explicit', 'five', SEED),
};

export const setNames = Object.keys(SETS);

/** @returns the data set, or a sentence that says why there is none. */
export function readSet(name, { data, queries }) {
  const read = SETS[name];
  if (read === undefined) return `there is no data set '${name}'; there are ${setNames.join(', ')}`;
  if (read.length > 0 && (data === undefined || !existsSync(data))) return `${name} skipped: ${NEEDS_DATA}`;
  const dataset = only(read(data), () => true);
  return queries === undefined ? dataset : sampleQueries(dataset, queries, SEED);
}

function only(dataset, wanted) {
  const conversations = dataset.conversations
    .map((conversation) => ({
      ...conversation,
      queries: conversation.queries.filter(({ gold, slices }) => gold.size > 0 && wanted(slices)),
    }))
    .filter(({ queries }) => queries.length > 0);
  return { ...dataset, conversations };
}
