// What is read of turns and queries: speaker, function words, and how much of the turns before a query.
import { passageTerms } from '../../src/text/passage.js';
import { termVector } from '../../src/text/terms.js';
import { TUNED_CONTEXT } from '../../src/text/tuned.js';
import type { ReadPerson } from '../ipr/corpus.js';
import { readCorpus } from '../ipr/corpus.js';
import { turnsOf } from '../ipr/person.js';
import { scoreMix } from '../quality/arms/hybrid.js';
import type { Dataset } from '../quality/dataset.js';
import { iprDialogues, iprFriends } from '../quality/datasets/ipr.js';
import { mean } from '../quality/metrics.js';
import { boundedQueryText, type TextForms } from '../quality/prepare.js';
import { CHOSEN_ON, prepareDataset, scoreOf } from './objective.js';
import type { Tunable, TuneBench } from './tunable.js';

/** Choices of code, 1 as the product does it: its passages name the speaker, its query terms leave function words out. */
const SERVED = { speakerInPassage: 1, functionWordsLeftOut: 1 };

/** Measured by the plain mix of both views, which takes vectors and terms as they are given. */
export const TEXT_FORMS: Tunable<typeof SERVED> = {
  name: 'text forms',
  start: { speakerInPassage: 0, functionWordsLeftOut: 0 },
  committed: SERVED,
  grid: { speakerInPassage: [0, 1], functionWordsLeftOut: [0, 1] },
  async measure(bench) {
    return async ({ speakerInPassage, functionWordsLeftOut }) => {
      const forms: Partial<TextForms> = {
        ...(speakerInPassage === 1 ? {} : { passage: ({ text }) => text, passageTerms: withoutSpeaker }),
        ...(functionWordsLeftOut === 1 ? {} : { queryTerms: termVector }),
      };
      const dialogues = await scoreMixOn(
        bench,
        CHOSEN_ON.map((split) => iprDialogues(readCorpus(split), bench.seed, 1)),
        forms,
      );
      // A question about two people names one of them.
      const friends = await scoreMixOn(bench, [iprFriends(readCorpus('dev'))], forms);
      return mean([dialogues, friends]);
    };
  },
};

/** Requests as they are asked, and behind a long turn of other talk: both have to be answered. */
export const QUERY_CONTEXT: Tunable<typeof TUNED_CONTEXT> = {
  name: 'query context',
  start: { contextTurns: 1, contextCharacters: 0 },
  committed: TUNED_CONTEXT,
  grid: { contextCharacters: [0, 50, 100, 200, 400, 800], contextTurns: [1, 2, 4] },
  place: { file: 'src/text/tuned.ts', block: 'TUNED_CONTEXT' },
  async measure(bench) {
    const corpora = CHOSEN_ON.map((split) => readCorpus(split));
    const asked = corpora.map((corpus) => iprDialogues(corpus, bench.seed, 1));
    const behindTalk = asked.map((dataset, place) => withTalk(dataset, corpora[place]?.people ?? []));
    return async (bounds) => {
      const forms: Partial<TextForms> = { query: (query) => boundedQueryText(query, bounds) };
      return mean([await scoreMixOn(bench, asked, forms), await scoreMixOn(bench, behindTalk, forms)]);
    };
  },
};

async function scoreMixOn(
  { services }: TuneBench,
  datasets: readonly Dataset[],
  forms: Partial<TextForms>,
): Promise<number> {
  const prepared = await Promise.all(datasets.map((dataset) => prepareDataset(dataset, services, forms)));
  return scoreOf(scoreMix, prepared.flat(), services);
}

const withoutSpeaker: TextForms['passageTerms'] = (turn) => passageTerms({ ...turn, speaker: '' });

/** Every query behind the longest turn of the next person's dialogue, and its own context behind that. */
function withTalk(dataset: Dataset, people: readonly ReadPerson[]): Dataset {
  const longest = people.map((person) =>
    turnsOf(person)
      .map(({ text }) => text)
      .reduce((a, b) => (b.length > a.length ? b : a), ''),
  );
  return {
    ...dataset,
    conversations: dataset.conversations.map((conversation, place) => ({
      ...conversation,
      queries: conversation.queries.map((query) => ({
        ...query,
        context: [longest[(place + 1) % longest.length] ?? '', ...(query.context ?? [])],
      })),
    })),
  };
}
