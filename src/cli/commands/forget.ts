// ontomem forget: a turn, a session or a whole user.
import { type Command, SCOPE, STORE, UsageError } from '../command.js';
import { print, printJson } from '../output.js';
import { scopeOf, withMemory } from '../session.js';

export const forget: Command = {
  name: 'forget',
  words: '',
  summary: 'Forgets one turn, one session, or with --everything all of a user.',
  example: 'ontomem forget --user ada --turn D1:3',
  options: {
    ...STORE,
    ...SCOPE,
    turn: { type: 'string', value: 'ID', help: 'the turn to forget' },
    session: { type: 'string', value: 'NAME', help: 'the session to forget' },
    everything: { type: 'boolean', help: 'forget the whole user' },
  },
  async run(invocation) {
    const turn = invocation.text('turn');
    const session = invocation.text('session');
    const everything = invocation.flag('everything');
    const named = [turn !== undefined, session !== undefined, everything].filter(Boolean).length;
    if (named !== 1) throw new UsageError('forget takes exactly one of --turn, --session and --everything');
    const scope = scopeOf(invocation);
    const request =
      turn !== undefined
        ? { scope, turn }
        : session !== undefined
          ? { scope, session }
          : { scope, everything: true as const };
    const result = await withMemory(invocation, (memory) => memory.forget(request));
    if (invocation.flag('json')) printJson(result);
    else print(`${result.forgotten} turns forgotten`);
  },
};
