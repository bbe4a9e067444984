// Arms that never read the question: what they find, the measure gives away.
import type { EncoderIdentity } from '../../../src/contract/encoder.js';
import { readCorpus } from '../../ipr/corpus.js';
import { seededRandom } from '../../random.js';
import type { Arm, ArmServices, PreparedConversation, PreparedQuery } from '../arm.js';
import { formOf } from '../form/features.js';
import { trainedForm } from '../form/form-model.js';
import { logit } from '../form/logistic.js';
import { wordsOf } from '../prepare.js';
import { Candidates } from './candidates.js';
import { liftedOnly } from './lifted.js';
import { rowOf, unitSum } from './scoring.js';

type ScoreTurns = (conversation: PreparedConversation) => Float32Array;

function blindArm(name: string, source: string, scoreTurns: ScoreTurns): Arm {
  return {
    name,
    source,
    blind: true,
    prepare(conversation) {
      const candidates = new Candidates(conversation);
      const scores = scoreTurns(conversation);
      return (query) => candidates.ranking(scores, candidates.visible(query), { candidatesScored: 0 });
    },
  };
}

const longest = blindArm('longest', 'the longest turns, whatever is asked', ({ turns }) =>
  Float32Array.from(turns, ({ text }) => text.length),
);

const newest = blindArm('newest', 'the newest turns, whatever is asked', ({ turns }) =>
  Float32Array.from(turns, (_, place) => place),
);

const random = blindArm('random', 'turns drawn by a seed', ({ id, turns }) => {
  const draw = seededRandom('random arm', id);
  return Float32Array.from(turns, () => draw());
});

const form = blindArm(
  'form',
  'logistic regression on length, shape and function words, fitted on the IPR train split',
  ({ turns }) => Float32Array.from(turns, ({ text }) => logit(trainedForm(), formOf(text))),
);

const means = new WeakMap<EncoderIdentity, Promise<Float32Array>>();

/** The mean of the train split's request vectors, unit norm: one query for all questions. Made once an encoder. */
function meanRequest(services: ArmServices): Promise<Float32Array> {
  const { identity } = services.encoder;
  const known = means.get(identity) ?? meanOfRequests(services);
  means.set(identity, known);
  return known;
}

async function meanOfRequests({ encodeCached, encoder }: ArmServices): Promise<Float32Array> {
  const requests = readCorpus('train').people.flatMap((person) =>
    person.requests.map((request) => wordsOf(request, encoder)),
  );
  const vectors = await encodeCached(requests, 'query');
  const { dimension } = encoder.identity;
  return unitSum(...requests.map((_, row): [number, Float32Array] => [1, rowOf(vectors, row, dimension)]));
}

const noQuery: Arm = {
  name: 'no query',
  source: 'the mean vector of the train split as the query of every question',
  blind: true,
  async prepare(conversation, services) {
    const candidates = new Candidates(conversation);
    const scores = candidates.dense(await meanRequest(services));
    return (query) => candidates.ranking(scores, candidates.visible(query));
  },
};

const noQueryLifted: Arm = {
  name: 'no query lifted',
  source: 'the same mean vector through the query lift of the served recall',
  blind: true,
  async prepare(conversation, services) {
    const { engine } = services;
    const plan = liftedOnly(await engine.plan());
    const vector = await meanRequest(services);
    return async (query: PreparedQuery) => {
      const { evidence } = await engine.ask(conversation, query, plan, { limit: 64, vector });
      return {
        ids: evidence.map(({ turnId }) => turnId),
        cost: { candidatesScored: conversation.turns.length },
      };
    };
  },
};

/** From the plainest to the one that has seen how people ask. */
export const blindArms: readonly Arm[] = [random, newest, longest, form, noQuery, noQueryLifted];
