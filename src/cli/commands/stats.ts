// ontomem stats: counts and bytes.
import { type Command, SCOPE, STORE } from '../command.js';
import { bytes, day, print, printJson } from '../output.js';
import { scopeOf, withMemory } from '../session.js';

export const stats: Command = {
  name: 'stats',
  words: '',
  summary: 'Counts and bytes of the store, or of one user with --user.',
  example: 'ontomem stats --store ./memory',
  options: { ...STORE, ...SCOPE, user: { type: 'string', value: 'NAME', help: 'one user only' } },
  async run(invocation) {
    const scope = invocation.text('user') === undefined ? {} : { scope: scopeOf(invocation) };
    const found = await withMemory(invocation, (memory) => memory.stats(scope), { readOnly: true });
    if (invocation.flag('json')) return printJson(found);
    print(
      `${found.turns} turns, ${found.sessions} sessions, ${found.speakers} speakers, ${found.scopes} users`,
    );
    if (found.span !== undefined) print(`said between ${day(found.span.from)} and ${day(found.span.to)}`);
    print(`${bytes(found.bytesOnDisk)} on disk, schema ${found.schemaVersion}`);
    print(
      `encoder ${found.encoder.name}, ${found.encoder.dimension} dimensions, ${found.encoder.pooling} pooling`,
    );
  },
};
