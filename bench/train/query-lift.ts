// bench train-query-lift: trains the query lift on our train split and writes its checkpoint.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from '../../src/cli/command.js';
import { print, printJson } from '../../src/cli/output.js';
import { encodeQueryLift } from '../../src/contract/checkpoint.js';
import type { Encoder } from '../../src/contract/encoder.js';
import { LIFT_EPOCHS, type LiftExample, trainQueryLift } from '../../src/learn/query-lift.js';
import { passageOf } from '../../src/text/passage.js';
import { type Corpus, readCorpus } from '../ipr/corpus.js';
import { friendsConversations } from '../ipr/friends.js';
import { trainingPairs } from '../ipr/training.js';
import { readTrainingTexts, type TrainingGroup } from '../ipr/training-texts.js';
import { encoderOption, withEncoder } from '../quality/bench-encoder.js';
import { wordsOf } from '../quality/prepare.js';
import type { VectorCache } from '../quality/vector-cache.js';

/** Statements a request must be told apart from, beside the batch's others. */
const NEGATIVES = 6;
/** Turns of the same two friends that stand this far apart. */
const STRIDE = 11;

interface TextExample {
  query: string;
  positive: string;
  negatives: string[];
}

export const command: Command = {
  name: 'bench train-query-lift',
  words: '',
  summary:
    'Trains the map from requests to statements on the train split; the same seed gives the same file.',
  example: 'npm run -s bench -- train-query-lift --out models/query-lift',
  options: {
    encoder: { type: 'string', value: 'NAME|DIR', help: 'encoder name or model folder (ONTOMEM_ENCODER)' },
    out: { type: 'string', value: 'DIR', help: 'where the checkpoint goes', default: 'models/query-lift' },
    seed: { type: 'string', value: 'N', help: 'seed', default: '7' },
    epochs: { type: 'string', value: 'N', help: 'passes over the pairs', default: String(LIFT_EPOCHS) },
  },
  async run(invocation) {
    const seed = invocation.number('seed') ?? 0;
    const epochs = invocation.number('epochs') ?? LIFT_EPOCHS;
    await withEncoder(encoderOption(invocation), async ({ encoder, cache }) => {
      const { name, dimension } = encoder.identity;
      const texts = textExamples(readTrainingTexts(), readCorpus('train'), encoder);
      const examples = await vectorExamples(texts, cache, dimension);
      const map = await trainQueryLift(examples, { dimension, seed, epochs });
      const folder = invocation.text('out') ?? '';
      mkdirSync(folder, { recursive: true });
      const file = join(folder, `${name}.pb`);
      writeFileSync(
        file,
        encodeQueryLift({ encoder: encoder.identity, map, seed, epochs, pairs: texts.length }),
      );
      const report = { file, encoder: name, pairs: texts.length, seed, epochs };
      if (invocation.flag('json')) printJson(report);
      else print(`${file}: ${texts.length} pairs, ${epochs} epochs, seed ${seed}`);
    });
  },
};

/** Requests of the training texts with their statements, and questions about friends with their turns. */
function textExamples(
  groups: readonly TrainingGroup[],
  { friends }: Corpus,
  encoder: Encoder,
): TextExample[] {
  const said = (text: string) => passageOf({ speaker: 'User', text });
  const requests = trainingPairs(groups).map(({ request, statement, negatives }) => ({
    query: request,
    positive: said(statement),
    negatives: negatives.slice(0, NEGATIVES).map(said),
  }));
  const questions = friendsConversations(friends).flatMap(({ turns, queries }) =>
    queries.flatMap((query) =>
      turns.flatMap((turn, place) =>
        query.gold.has(turn.id)
          ? [
              {
                query: wordsOf(query, encoder),
                positive: passageOf(turn),
                negatives: Array.from(
                  { length: NEGATIVES },
                  (_, k) => turns[(place + STRIDE * (k + 1)) % turns.length],
                )
                  .filter((other) => other !== undefined && !query.gold.has(other.id))
                  .map((other) => (other === undefined ? '' : passageOf(other))),
              },
            ]
          : [],
      ),
    ),
  );
  return [...requests, ...questions];
}

async function vectorExamples(
  texts: readonly TextExample[],
  cache: VectorCache,
  dimension: number,
): Promise<LiftExample[]> {
  const rows = (vectors: Float32Array) =>
    Array.from({ length: vectors.length / dimension }, (_, row) =>
      vectors.slice(row * dimension, (row + 1) * dimension),
    );
  const queries = rows(
    await cache.encode(
      texts.map(({ query }) => query),
      'query',
    ),
  );
  const positives = rows(
    await cache.encode(
      texts.map(({ positive }) => positive),
      'passage',
    ),
  );
  const negatives = rows(
    await cache.encode(
      texts.flatMap((text) => text.negatives),
      'passage',
    ),
  );
  let taken = 0;
  return texts.map((text, place) => {
    const own = negatives.slice(taken, taken + text.negatives.length);
    taken += text.negatives.length;
    return {
      query: queries[place] ?? new Float32Array(),
      positive: positives[place] ?? new Float32Array(),
      negatives: own,
    };
  });
}
