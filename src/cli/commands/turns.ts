// ontomem turns: what a user's memory holds, in the order in which it was said.
import { type Command, SCOPE, STORE } from '../command.js';
import { day, oneLine, print, printJson } from '../output.js';
import { scopeOf, withMemory } from '../session.js';

export const turns: Command = {
  name: 'turns',
  words: '',
  summary: 'Lists the stored turns of a user by event time.',
  example: 'ontomem turns --user ada --from 2024-03-01 --json',
  options: {
    ...STORE,
    ...SCOPE,
    session: { type: 'string', value: 'NAME', help: 'only turns of this session' },
    from: { type: 'string', value: 'DATE', help: 'only turns said at or after this date' },
    to: { type: 'string', value: 'DATE', help: 'only turns said before this date' },
  },
  async run(invocation) {
    const named = (name: string) => {
      const value = invocation.text(name);
      return value === undefined ? {} : { [name]: value };
    };
    const request = { scope: scopeOf(invocation), ...named('session'), ...named('from'), ...named('to') };
    await withMemory(
      invocation,
      async (memory) => {
        for await (const turn of memory.turns(request)) {
          if (invocation.flag('json')) printJson(turn);
          else
            print(
              `${day(turn.at)}  ${oneLine(turn.id, Infinity)}  ${oneLine(`${turn.speaker}: ${turn.text}`)}`,
            );
        }
      },
      { readOnly: true },
    );
  },
};
