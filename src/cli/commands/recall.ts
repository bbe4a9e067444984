// ontomem recall: what the memory knows that bears on a query.
import type { Recall, RecallFilter } from '../../contract/recall.js';
import { type Command, type Invocation, SCOPE, STORE, UsageError } from '../command.js';
import { day, oneLine, print, printJson } from '../output.js';
import { scopeOf, withMemory } from '../session.js';
import { inputLines } from '../standard-input.js';

export const recall: Command = {
  name: 'recall',
  words: 'QUERY...',
  summary: 'Finds the turns that bear on a query. - reads one query a line from stdin.',
  example: 'ontomem recall "what should I watch this weekend?" --user ada --explain',
  options: {
    ...STORE,
    ...SCOPE,
    limit: { type: 'string', value: 'N', help: 'how many turns at most', default: '10' },
    'as-of': { type: 'string', value: 'DATE', help: 'answer as the memory stood then' },
    session: { type: 'string', value: 'NAME', help: 'only turns of this session' },
    speaker: { type: 'string', value: 'NAME', help: 'only turns of this speaker' },
    from: { type: 'string', value: 'DATE', help: 'only turns said at or after this date' },
    to: { type: 'string', value: 'DATE', help: 'only turns said before this date' },
    'deadline-ms': { type: 'string', value: 'MS', help: 'answer with what is found by then' },
    explain: { type: 'boolean', help: "show each arm's part in the score" },
  },
  async run(invocation) {
    if (invocation.words.length === 0) throw new UsageError('recall takes a QUERY');
    const queries = invocation.words[0] === '-' ? await all(inputLines()) : [invocation.words.join(' ')];
    const requests = queries.map((query) => ({
      scope: scopeOf(invocation),
      query,
      ...requestOptions(invocation),
    }));
    const recalls = await withMemory(invocation, (memory) => memory.recallMany(requests), { readOnly: true });
    for (const [position, answer] of recalls.entries()) {
      if (invocation.flag('json')) printJson({ query: queries[position], ...answer });
      else printRecall(queries[position] ?? '', answer);
    }
  },
};

function requestOptions(invocation: Invocation) {
  const filter: RecallFilter = {};
  for (const name of ['session', 'speaker', 'from', 'to'] as const) {
    const value = invocation.text(name);
    if (value !== undefined) filter[name] = value;
  }
  const limit = invocation.number('limit');
  const asOf = invocation.text('as-of');
  const deadlineMs = invocation.number('deadline-ms');
  return {
    ...(limit === undefined ? {} : { limit }),
    ...(asOf === undefined ? {} : { asOf }),
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
    ...(Object.keys(filter).length === 0 ? {} : { filter }),
    explain: invocation.flag('explain'),
  };
}

/** The answer as people read it; the demo prints the same. */
export function printRecall(query: string, answer: Recall): void {
  print(`? ${oneLine(query)}`);
  if (answer.abstained) print('  nothing in memory bears on this');
  for (const { score, at, speaker, text, caption, explanation } of answer.evidence) {
    print(
      `  ${score.toFixed(2)}  ${day(at)}  ${oneLine(`${speaker}: ${text}${caption === undefined ? '' : ` [${caption}]`}`)}`,
    );
    if (explanation !== undefined) {
      const { dense, lexical, structure } = explanation;
      print(`        dense ${signed(dense)}  lexical ${signed(lexical)}  structure ${signed(structure)}`);
    }
  }
  const { encodeMs, searchMs, totalMs } = answer.timings;
  print(
    `  ${answer.partial ? 'partial, ' : ''}${totalMs.toFixed(1)} ms (encode ${encodeMs.toFixed(1)}, search ${searchMs.toFixed(2)})`,
  );
}

function signed(value: number): string {
  return `${value < 0 ? '' : '+'}${value.toFixed(2)}`;
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}
