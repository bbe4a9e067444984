// A process that writes turns and says what was acknowledged: writer.js PATH
// It opens the store on a line `open` (or at once without --wait), then observes batches of three turns
// for as long as it lives when told `run N` (from turn N), or obeys `observe N`, `forget ID`, `forget-session`, `forget`.
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { openMemory } from '../../src/memory/memory.js';
import { ADA, someTurns } from './memories.js';
import { TinyEncoder } from './tiny-encoder.js';

const [path = '', wait] = process.argv.slice(2);
// writeSync: a line must be out before the kill that may follow it.
const say = (line: string) => writeSync(1, `${line}\n`);
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
if (wait === '--wait') {
  say('waiting');
  await lines.next();
}
const memory = await openMemory({ path, encoder: new TinyEncoder() });
say('open');
for (;;) {
  const { value, done } = await lines.next();
  if (done) break;
  const [verb, argument] = value.split(' ');
  if (verb === 'run') {
    for (let next = Number(argument); ; next += 3) {
      await memory.observe({ scope: ADA, turns: someTurns(3, next) });
      say(`stored ${next + 3}`);
    }
  } else if (verb === 'observe') {
    await memory.observe({ scope: ADA, turns: someTurns(1, Number(argument)) });
    say('done');
  } else if (verb === 'forget-session') {
    await memory.forget({ scope: ADA, session: 'default' });
    say('done');
  } else {
    await memory.forget(
      argument === undefined ? { scope: ADA, everything: true } : { scope: ADA, turn: argument },
    );
    say('done');
  }
}
await memory.close();
