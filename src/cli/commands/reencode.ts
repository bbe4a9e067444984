// ontomem reencode: makes a store fit another encoder.
import { type Command, STORE, UsageError } from '../command.js';
import { print, printJson } from '../output.js';
import { encoderOf, withMemory } from '../session.js';

export const reencodeCommand: Command = {
  name: 'reencode',
  words: '',
  summary: 'Encodes every stored turn again with another encoder. Killed midway, run it again.',
  example: 'ontomem reencode --store ./memory --encoder ./e5-small-v2',
  options: { ...STORE },
  async run(invocation) {
    if (invocation.words.length > 0) throw new UsageError('reencode takes no words, only options');
    const encoder = encoderOf(invocation);
    const found = await withMemory(invocation, (memory) => memory.stats(), { reencode: true });
    if (invocation.flag('json')) printJson({ encoder: found.encoder, turns: found.turns });
    else print(`${found.turns} turns now encoded with ${encoder ?? found.encoder.name}`);
  },
};
