// bench ipr-review: draws requests with their gold and nearest distractors, for somebody who reads them in full.
import type { Command } from '../../src/cli/command.js';
import { print } from '../../src/cli/output.js';
import { Candidates } from '../quality/arms/candidates.js';
import { cachedServices, encoderOption, withEncoder } from '../quality/bench-encoder.js';
import { iprDialogues } from '../quality/datasets/ipr.js';
import { type Prepared, prepareConversation } from '../quality/prepare.js';
import { sampleQueries } from '../quality/sample.js';
import { readCorpus } from './corpus.js';

/** Nearest turns shown beside the gold: of the user, as the statements are, and of the assistant. */
const NEAR = { User: 5, Assistant: 1 } as const;

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
      const drawn = sampleQueries(iprDialogues(readCorpus('test'), 1, 1), count, seed);
      for (const dialogue of drawn.conversations) {
        print(entriesOf(await prepareConversation(dialogue, services)));
      }
    });
  },
};

function entriesOf({ conversation, queries }: Prepared): string {
  const candidates = new Candidates(conversation);
  const told = new Map(conversation.turns.map(({ id, speaker, text }) => [id, `${id} ${speaker}: ${text}`]));
  const idAt = (place: number) => conversation.turns[place]?.id ?? '';
  const line = (mark: string, id: string) => `- ${mark} ${told.get(id) ?? id}`;
  return queries
    .map((query) => {
      const visible = candidates.visible(query).filter((place) => !query.grades?.has(idAt(place)));
      const nearest = candidates.ordered(candidates.dense(query.vector), visible);
      const others = (['User', 'Assistant'] as const).flatMap((speaker) =>
        nearest
          .filter((place) => conversation.turns[place]?.speaker === speaker)
          .slice(0, NEAR[speaker])
          .map(idAt),
      );
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
