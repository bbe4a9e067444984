// What a reader is given: one person's dated sessions with numbered turns, and the requests; no label of anyone.
import { type Person, turnsOf } from './person.js';

/** Requests stand in an order of their own, so that neither slice nor neighbour hints at an answer. */
export function readerSheet(person: Person): string {
  const sessions = person.sessions.map(({ id, turns }) =>
    [`session ${id}`, ...turns.map(({ id: turn, by, text }) => `${turn} ${by}: ${text}`)].join('\n'),
  );
  const requests = person.requests
    .toSorted((a, b) => (reversed(a.id) < reversed(b.id) ? -1 : 1))
    .map(({ id, context, text }) => [`${id}:`, ...context.map((line) => `(${line})`), text].join(' '));
  return [
    `${person.id}: ${turnsOf(person).length} turns, ${requests.length} requests`,
    ...sessions,
    'requests, months after the last session',
    requests.join('\n'),
  ].join('\n\n');
}

function reversed(id: string): string {
  return [...id].reverse().join('');
}
