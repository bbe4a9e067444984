// bench ipr-review: draws requests with their gold and nearest distractors, for somebody who reads them in full.
import type { Command } from '../../src/cli/command.js';
import { print } from '../../src/cli/output.js';
import { Candidates } from '../quality/arms/candidates.js';
import { cachedServices, encoderOption, withEncoder } from '../quality/bench-encoder.js';
import { iprDialogues } from '../quality/datasets/ipr.js';
import { type Prepared, prepareConversation } from '../quality/prepare.js';
import { sampleQueries } from '../quality/sample.js';
import { readCorpus } from './corpus.js';

const DISTRACTORS = 4;

export const command: Command = {
  name: 'bench ipr-review',
  words: '',
  summary: 'Prints drawn test requests with gold and nearest distractors, each with room for a verdict.',
  example: 'npm run -s bench -- ipr-review --count 100 --seed 9',
  options: {
    encoder: { type: 'string', value: 'NAME|DIR', help: 'encoder name or model folder (ONTOMEM_ENCODER)' },
    count: { type: 'string', value: 'N', help: 'requests drawn', default: '100' },
    seed: { type: 'string', value: 'N', help: 'seed of the draw', default: '9' },
  },
  async run(invocation) {
    const count = invocation.number('count') ?? 0;
    const seed = invocation.number('seed') ?? 0;
    await withEncoder(encoderOption(invocation), async (opened) => {
      const services = cachedServices(opened);
      const { dimension } = opened.encoder.identity;
      const drawn = sampleQueries(iprDialogues(readCorpus('test'), 1, 1), count, seed);
      for (const dialogue of drawn.conversations) {
        print(entriesOf(await prepareConversation(dialogue, dimension, services.encodeCached)));
      }
    });
  },
};

function entriesOf({ conversation, queries }: Prepared): string {
  const candidates = new Candidates(conversation);
  const told = new Map(conversation.turns.map(({ id, speaker, text }) => [id, `${id} ${speaker}: ${text}`]));
  const line = (mark: string, id: string) => `- ${mark} ${told.get(id) ?? id}`;
  return queries
    .map((query) => {
      const nearest = candidates.ranked(candidates.dense(query.vector), candidates.visible(query));
      const others = nearest.filter((id) => !query.grades?.has(id)).slice(0, DISTRACTORS);
      const support = [...(query.grades ?? [])].sort(([, a], [, b]) => b - a);
      return [
        `## ${query.id} (${query.slices[0]?.replace('slice=', '')})`,
        ...(query.context ?? []).map((text) => `> ${text}`),
        `> **${query.text}**`,
        '',
        ...support.map(([id, grade]) => line(`gold ${grade}:`, id)),
        ...others.map((id) => line('near:', id)),
        '',
        'verdict:',
        '',
      ].join('\n');
    })
    .join('\n');
}
