// What is read of turns and queries: speaker, function words, and how much of the turns before a query.
import { EncoderScale } from '../../src/retrieve/encoder-scale.js';
import { passageTerms } from '../../src/text/passage.js';
import { termVector } from '../../src/text/terms.js';
import { TUNED_CONTEXT } from '../../src/text/tuned.js';
import { type ReadPerson, readCorpus } from '../ipr/corpus.js';
import { turnsOf } from '../ipr/person.js';
import type { ArmServices } from '../quality/arm.js';
import type { BenchQuery, Dataset } from '../quality/dataset.js';
import { iprDialogues, iprFriends, iprStatements } from '../quality/datasets/ipr.js';
import { mean } from '../quality/metrics.js';
import { type Prepared, type TextForms, wordsOf } from '../quality/prepare.js';
import { sampleQueries } from '../quality/sample.js';
import { askAsGiven, servedAsGiven } from './given-texts.js';
import { MEANT, questionsAboutNothing } from './nonsense.js';
import { CHOSEN_ON, prepareDataset, scoreOf } from './objective.js';
import type { Tunable } from './tunable.js';

/** Requests of each split that need no context, behind other talk: each bound is another text to encode. */
const REQUESTS = 150;

/**
 * Choices of code, 1 as the product does it: its passages name the speaker, its query terms leave function words out, and
 * it reads a query behind the turns before it.
 */
const SERVED = { speakerInPassage: 1, functionWordsLeftOut: 1, queryBehindContext: 1 };

/**
 * Nine queries in ten mean something and are to be answered; the tenth is a question about nothing and is to be left
 * alone, which is told by there being no word of it in memory. For answers alone function words might stay.
 */
export const TEXT_FORMS: Tunable<typeof SERVED> = {
  name: 'text forms',
  // Either order is as plain as the other: the one that is served stays unless the other gains.
  start: { speakerInPassage: 0, functionWordsLeftOut: 0, queryBehindContext: 1 },
  committed: SERVED,
  grid: { speakerInPassage: [0, 1], functionWordsLeftOut: [0, 1], queryBehindContext: [0, 1] },
  async measure({ services, seed }) {
    const corpora = CHOSEN_ON.map((split) => readCorpus(split));
    const parts = [
      corpora.map((corpus) => iprDialogues(corpus, seed, 1)),
      corpora.map((corpus) => iprStatements(corpus, 'plus50', seed)),
      // A question about two people names one of them.
      [iprFriends(readCorpus('dev'))],
    ];
    return async ({ speakerInPassage, functionWordsLeftOut, queryBehindContext }) => {
      const forms: Partial<TextForms> = {
        ...(speakerInPassage === 1 ? {} : { passage: ({ text }) => text, passageTerms: withoutSpeaker }),
        ...(functionWordsLeftOut === 1 ? {} : { queryTerms: termVector }),
        ...(queryBehindContext === 1 ? {} : { query: queryBeforeContext }),
      };
      const scores: number[] = [];
      for (const datasets of parts) scores.push(await scoreWith(services, datasets, forms));
      const left = await leftAlone(services, parts[0] ?? [], forms);
      return MEANT * mean(scores) + (1 - MEANT) * left;
    };
  },
};

/**
 * Three things that each have to go well: requests that mean nothing without their context, as they are asked and behind a
 * long turn of other talk, and requests that need no context, behind the same.
 */
export const QUERY_CONTEXT: Tunable<typeof TUNED_CONTEXT> = {
  name: 'query context',
  start: { contextTurns: 2, contextCharacters: 200 },
  committed: TUNED_CONTEXT,
  grid: { contextCharacters: [0, 50, 100, 150, 200, 300, 400, 800], contextTurns: [1, 2, 4] },
  // Its own jitter: 150 characters lie so much under 100 and 200, which are alike.
  leastGain: 0.008,
  place: { file: 'src/text/tuned.ts', block: 'TUNED_CONTEXT' },
  async measure({ services, seed }) {
    const corpora = CHOSEN_ON.map((split) => readCorpus(split));
    const asked = corpora.map((corpus) => iprDialogues(corpus, seed, 1));
    const behindTalk = (dataset: Dataset, place: number) => withTalk(dataset, corpora[place]?.people ?? []);
    const elliptic = asked.map((dataset) => keeping(dataset, ({ context }) => context !== undefined));
    const whole = asked.map((dataset) => keeping(dataset, ({ context }) => context === undefined));
    const sampled = whole.map((dataset) => sampleQueries(dataset, REQUESTS, seed));
    const parts = [elliptic, elliptic.map(behindTalk), sampled.map(behindTalk)];
    return async (bounds) => {
      const forms: Partial<TextForms> = {
        query: (query, encoder) => wordsOf(query, encoder, bounds),
      };
      const scores: number[] = [];
      for (const datasets of parts) scores.push(await scoreWith(services, datasets, forms));
      return mean(scores);
    };
  },
};

async function prepareAll(
  services: ArmServices,
  datasets: readonly Dataset[],
  forms: Partial<TextForms>,
): Promise<Prepared[]> {
  const prepared: Prepared[] = [];
  for (const dataset of datasets) prepared.push(...(await prepareDataset(dataset, services, forms)));
  return prepared;
}

/** Of the recall as served, with texts and terms in the forms given. */
async function scoreWith(
  services: ArmServices,
  datasets: readonly Dataset[],
  forms: Partial<TextForms>,
): Promise<number> {
  return scoreOf(servedAsGiven, await prepareAll(services, datasets, forms), services);
}

/** Share of questions about nothing for which nothing would be returned. */
async function leftAlone(
  services: ArmServices,
  datasets: readonly Dataset[],
  forms: Partial<TextForms>,
): Promise<number> {
  const scale = await EncoderScale.measure(services.encoder);
  const plan = await services.engine.plan();
  const questions = questionsAboutNothing().map((text, place) => ({
    id: String(place),
    text,
    gold: new Set<string>(),
    slices: [],
  }));
  const asked = datasets.map((dataset) => ({
    ...dataset,
    conversations: dataset.conversations.map((conversation) => ({ ...conversation, queries: questions })),
  }));
  const left: number[] = [];
  for (const { conversation, queries } of await prepareAll(services, asked, forms)) {
    for (const query of queries) {
      const { stat } = askAsGiven(conversation, query, plan);
      const noWord = stat('wantedLexicalBest') <= 0;
      left.push(Number(noWord && scale.isNonsense(query.vector, stat('wantedDenseBest'))));
    }
  }
  return mean(left);
}

const queryBeforeContext: TextForms['query'] = (query, encoder) => {
  const behind = wordsOf(query, encoder);
  const before = behind.slice(0, behind.length - query.text.length).trimEnd();
  return before === '' ? query.text : `${query.text} ${before}`;
};

const withoutSpeaker: TextForms['passageTerms'] = (turn) => passageTerms({ ...turn, speaker: '' });

function keeping(dataset: Dataset, belongs: (query: BenchQuery) => boolean): Dataset {
  const conversations = dataset.conversations.map((conversation) => ({
    ...conversation,
    queries: conversation.queries.filter(belongs),
  }));
  return { ...dataset, conversations };
}

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
