// The authored material of a split: persons with the readings of their requests, and pairs of friends.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UsageError } from '../../src/cli/command.js';
import { type Friends, readFriends } from './friends.js';
import type { Person, Split } from './person.js';
import { readPerson } from './read-person.js';
import { type Reading, readReading } from './readings.js';

/** dist/bench/ipr -> the texts in the sources. */
const TEXTS = fileURLToPath(new URL('../../../bench/ipr/', import.meta.url));

/** The two independent readings, and the one that joins them. */
export const READERS = ['first', 'second', 'joined'] as const;
export type Reader = (typeof READERS)[number];

export interface ReadPerson extends Person {
  /** The joined reading: what counts as gold. */
  gold: Reading;
}

export interface Corpus {
  split: Split;
  people: readonly ReadPerson[];
  friends: readonly Friends[];
}

/** Reads one split, files in the order of their names. @throws SOURCE_INVALID naming the file and line. */
export function readCorpus(split: Split): Corpus {
  return {
    split,
    people: readPeople(split).map((person) => ({ ...person, gold: readingOf(person, 'joined') })),
    friends: textFiles('friends', '.json')
      .map(({ name, source }) => readFriends(name, source))
      .filter((pair) => pair.split === split),
  };
}

export function readPeople(split: Split): Person[] {
  return textFiles(join('people', split), '.txt').map(({ name, source }) => readPerson(name, source));
}

export function readingOf(person: Person, reader: Reader): Reading {
  const name = join('readings', reader, `${person.id}.txt`);
  return readReading(name, readFileSync(join(TEXTS, name), 'utf8'), person);
}

/** Files of a folder of the corpus that end in `ending`, sorted by name. */
export function textFiles(folder: string, ending: string): Array<{ name: string; source: string }> {
  const path = join(TEXTS, folder);
  if (!existsSync(path)) {
    throw new UsageError('the authored corpus comes with the sources of ontomem: run this in a clone');
  }
  return readdirSync(path)
    .filter((name) => name.endsWith(ending))
    .sort()
    .map((name) => ({ name: join(folder, name), source: readFileSync(join(path, name), 'utf8') }));
}
