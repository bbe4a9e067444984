// bench ipr-sheet: prints what a reader of one person's dialogues is given.
import { type Command, UsageError } from '../../src/cli/command.js';
import { print } from '../../src/cli/output.js';
import { readPeople } from './corpus.js';
import { SPLITS } from './person.js';
import { readerSheet } from './sheet.js';

export const command: Command = {
  name: 'bench ipr-sheet',
  words: 'PERSON',
  summary: 'Prints one person of IPR for a reader: numbered turns and requests, without any label.',
  example: 'npm run -s bench -- ipr-sheet k-01',
  options: {},
  async run({ words: [id] }) {
    const person = SPLITS.flatMap(readPeople).find((known) => known.id === id);
    if (person === undefined) throw new UsageError(`there is no person '${id ?? ''}' in the corpus`);
    print(readerSheet(person));
  },
};
