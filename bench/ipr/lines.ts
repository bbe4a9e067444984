// The line grammar that dialogues and training texts share: a label line, and errors that name file and line.
import { OntomemError } from '../../src/errors.js';
import { RELATIONS, type StatementLabel } from './person.js';

/** A line with where it stands, for messages. */
export interface Line {
  text: string;
  file: string;
  /** From 1. */
  number: number;
}

/** Lines with something on them. */
export function linesOf(file: string, source: string): Line[] {
  return source
    .split('\n')
    .map((text, place) => ({ text: text.trim(), file, number: place + 1 }))
    .filter(({ text }) => text !== '');
}

/** What `line` should have been. */
export function unreadable({ text, file, number }: Line, problem: string): OntomemError {
  return new OntomemError('SOURCE_INVALID', {
    input: `${file}:${number}`,
    problem: `${problem}: ${JSON.stringify(text.slice(0, 80))}`,
  });
}

/** 'LIKES + | user | concept | span', whose span must stand in `said`. */
export function parseLabel(line: Line, fields: readonly string[], said: string): StatementLabel {
  const [relationAndSign = '', subject = '', concept = '', span = ''] = fields;
  const [name, sign] = relationAndSign.split(' ');
  const relation = RELATIONS.find((known) => known === name);
  if (relation === undefined) throw unreadable(line, `there is no relation '${name}'`);
  if (sign !== '+' && sign !== '-') throw unreadable(line, 'the relation has no + or - behind it');
  if (subject === '' || concept === '') throw unreadable(line, 'subject or concept is missing');
  if (span === '' || !said.includes(span)) throw unreadable(line, 'the span is no piece of its text');
  return { relation, polarity: sign === '+' ? 1 : -1, subject, concept, span };
}

export function fieldsOf(text: string): string[] {
  return text.split('|').map((field) => field.trim());
}
