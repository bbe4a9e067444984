// The form-matched measure: the same requests, with statements alone as candidates.
import type { Turn } from '../../src/contract/turn.js';
import type { BenchConversation } from '../quality/dataset.js';
import { seededRandom, shuffled } from '../random.js';
import type { ReadPerson } from './corpus.js';
import { statementTurns } from './deal.js';
import { turnsOf } from './person.js';

/** A person's own statements; those and 50 of other people; every statement of the split. */
export const POOLS = ['own', 'plus50', 'all'] as const;
export type Pool = (typeof POOLS)[number];
const OTHERS = 50;

const DAY_MS = 86_400_000;
const FIRST_DAY = Date.UTC(2023, 0, 2);

/** One conversation a person whose turns are statements, each a session of its own: nothing but meaning tells. */
export function statementPools(people: readonly ReadPerson[], pool: Pool, seed: number): BenchConversation[] {
  const statements = new Map(people.map((person) => [person.id, ownStatements(person)]));
  return people.map((person) => {
    const own = statements.get(person.id) ?? [];
    const others = people.flatMap(({ id }) => (id === person.id ? [] : (statements.get(id) ?? [])));
    const random = seededRandom('pool', pool, seed, person.id);
    const added = pool === 'own' ? [] : pool === 'all' ? others : shuffled(others, random).slice(0, OTHERS);
    const turns = shuffled([...own, ...added], random).map((turn, place) => ({
      ...turn,
      at: FIRST_DAY + place * DAY_MS,
    }));
    return { id: `${person.id}-${pool}`, cluster: person.id, turns, queries: queriesOf(person) };
  });
}

function ownStatements(person: ReadPerson): Turn[] {
  const told = statementTurns(person);
  return turnsOf(person)
    .filter(({ id }) => told.has(id))
    .map(({ id, by, text }) => ({
      id: `${person.id} ${id}`,
      session: `${person.id} ${id}`,
      speaker: by,
      text,
      at: 0,
      dateSource: 'given' as const,
    }));
}

/** Requests that a statement of the person decides; the old statement of a changed preference stays in. */
function queriesOf(person: ReadPerson): BenchConversation['queries'] {
  const told = statementTurns(person);
  return person.requests.flatMap(({ id, slice, text, context }) => {
    const grades = [...(person.gold.get(id) ?? [])].filter(([turn]) => told.has(turn));
    const gold = grades.flatMap(([turn, grade]) => (grade === 2 ? [`${person.id} ${turn}`] : []));
    if (gold.length === 0) return [];
    return [
      {
        id: `${person.id}-${id}`,
        text,
        ...(context.length === 0 ? {} : { context }),
        gold: new Set(gold),
        grades: new Map(grades.map(([turn, grade]) => [`${person.id} ${turn}`, grade])),
        slices: [`slice=${slice}`],
      },
    ];
  });
}
