// ontomem forget: a turn, a session or a whole user.
import { type Command, SCOPE, STORE, UsageError } from '../command.js';
import { print, printJson } from '../output.js';
import { scopeOf, withMemory } from '../session.js';

export const forget: Command = {
  name: 'forget',
  words: '',
  summary: 'Forgets one turn, one session, or with --all everything of a user.',
  example: 'ontomem forget --user ada --turn D1:3',
  options: {
    ...STORE,
    ...SCOPE,
    turn: { type: 'string', value: 'ID', help: 'the turn to forget' },
    session: { type: 'string', value: 'NAME', help: 'the session to forget' },
    all: { type: 'boolean', help: 'forget the whole user' },
  },
  async run(invocation) {
    const turn = invocation.text('turn');
    const session = invocation.text('session');
    const named = [turn !== undefined, session !== undefined, invocation.flag('all')].filter(Boolean).length;
    if (named !== 1) throw new UsageError('forget takes exactly one of --turn, --session and --all');
    const result = await withMemory(invocation, (memory) =>
      memory.forget({
        scope: scopeOf(invocation),
        ...(turn === undefined ? {} : { turn }),
        ...(session === undefined ? {} : { session }),
      }),
    );
    if (invocation.flag('json')) printJson(result);
    else print(`${result.forgotten} turns forgotten`);
  },
};
