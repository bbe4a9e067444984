// The authored material as flat lists of texts with their places, for the checks that hold it to its rules.
import type { Friends } from './friends.js';
import { type Person, turnsOf } from './person.js';
import type { TrainingGroup } from './training-texts.js';
import type { NamedText } from './variety.js';

interface Texts {
  people: readonly Person[];
  friends: readonly Friends[];
}

/** Everything anyone says or asks in a split. */
export function allTexts({ people, friends }: Texts): NamedText[] {
  return [
    ...people.flatMap((person) => [...saidBy(person), ...requestsOf(person)]),
    ...friends.flatMap(({ id, sessions, questions }) => [
      ...sessions.flatMap(({ turns }) =>
        turns.map((turn) => ({ place: `${id} ${turn.id}`, text: turn.text })),
      ),
      ...questions.map(({ text }, number) => ({ place: `${id} question ${number}`, text })),
    ]),
  ];
}

export function requestsOf(person: Person): NamedText[] {
  return person.requests.map(({ id, text }) => ({ place: `${person.id} ${id}`, text }));
}

export function statementsOf(person: Person): NamedText[] {
  const told = new Set(person.statements.map(({ turn }) => turn));
  return saidBy(person).filter(({ place }) => told.has(place.split(' ')[1] ?? ''));
}

/** Statements and requests of the training texts. */
export function trainingTexts(groups: readonly TrainingGroup[]): NamedText[] {
  return groups.flatMap(({ file, statements }) =>
    statements.flatMap(({ text, requests }, number) =>
      [text, ...requests].map((said, part) => ({ place: `${file} ${number}.${part}`, text: said })),
    ),
  );
}

function saidBy(person: Person): NamedText[] {
  return turnsOf(person).map(({ id, text }) => ({ place: `${person.id} ${id}`, text }));
}
