// Reads one person's dialogues from their text file; README.md of this folder gives the grammar.

import { fieldsOf, type Line, linesOf, parseLabel, unreadable } from './lines.js';
import {
  type AuthoredTurn,
  DECOY_KINDS,
  type Person,
  REQUEST_SLICES,
  type Request,
  SPLITS,
  type Statement,
  USER_KINDS,
} from './person.js';

interface Draft {
  head?: Omit<Person, 'sessions' | 'statements' | 'requests'>;
  sessions: Array<{ id: string; topic: string; after?: string; turns: AuthoredTurn[] }>;
  statements: Statement[];
  requests: Request[];
  /** 'd1' -> id of the turn. */
  decoys: Map<string, string>;
}

/** @throws SOURCE_INVALID naming file and line. */
export function readPerson(file: string, source: string): Person {
  const draft: Draft = { sessions: [], statements: [], requests: [], decoys: new Map() };
  const lines = linesOf(file, source);
  for (const line of lines) readLine(draft, line);
  const [first] = lines;
  if (draft.head === undefined || first === undefined) {
    throw unreadable(first ?? { text: '', file, number: 1 }, 'the file has no head');
  }
  return { ...draft.head, sessions: draft.sessions, statements: draft.statements, requests: draft.requests };
}

function readLine(draft: Draft, line: Line): void {
  const { text } = line;
  if (text.startsWith('## ')) readSession(draft, line);
  else if (text.startsWith('# ')) readHead(draft, line);
  else if (text.startsWith('= ')) readStatement(draft, line);
  else if (text.startsWith('? ')) readRequest(draft, line);
  else readTurn(draft, line);
}

function readHead(draft: Draft, line: Line): void {
  const [id = '', split, name = '', domains = '', voice = '', about = ''] = fieldsOf(line.text.slice(2));
  const known = SPLITS.find((candidate) => candidate === split);
  if (known === undefined || about === '') throw unreadable(line, 'id, split, name, domains, voice, about');
  draft.head = { id, split: known, name, domains: domains.split(/, */), voice, about };
}

function readSession(draft: Draft, line: Line): void {
  const [id = '', ...rest] = fieldsOf(line.text.slice(3));
  // A topic may begin with the word, as in 'after the shift'.
  const after = /^after (s\d\d)$/.exec(rest[0] ?? '')?.[1];
  const topic = rest.at(-1) ?? '';
  if (!/^s\d\d$/.test(id) || draft.sessions.some((session) => session.id === id)) {
    throw unreadable(line, 'a session needs a number of its own');
  }
  if (after !== undefined && !draft.sessions.some((session) => session.id === after)) {
    throw unreadable(line, `no session '${after}' stands before it`);
  }
  draft.sessions.push({ id, topic, turns: [], ...(after === undefined ? {} : { after }) });
}

const USER_TURN = /^U\[(?<kind>[a-z]+)(?: (?<decoy>d\d+))?\]: (?<text>.+)$/;
const REPLY = /^A(?:\[echo (?<echoes>[p\d ]+)\])?: (?<text>.+)$/;

function readTurn(draft: Draft, line: Line): void {
  const session = draft.sessions.at(-1);
  if (session === undefined) throw unreadable(line, 'a turn before the first session');
  const id = `${session.id}.${session.turns.length + 1}`;
  const user = USER_TURN.exec(line.text)?.groups;
  if (user !== undefined) {
    const kind = USER_KINDS.find((known) => known === user.kind);
    if (kind === undefined) throw unreadable(line, `there is no kind '${user.kind}'`);
    if ((DECOY_KINDS as readonly string[]).includes(kind) !== (user.decoy !== undefined)) {
      throw unreadable(line, 'decoys, and only they, have an id');
    }
    if (user.decoy !== undefined) draft.decoys.set(user.decoy, id);
    session.turns.push({ id, by: 'User', kind, text: user.text ?? '', echoes: [] });
    return;
  }
  const reply = REPLY.exec(line.text)?.groups;
  if (reply === undefined) throw unreadable(line, 'is no line of the grammar');
  const echoes = reply.echoes?.trim().split(/\s+/) ?? [];
  session.turns.push({ id, by: 'Assistant', kind: 'reply', text: reply.text ?? '', echoes });
}

function readStatement(draft: Draft, line: Line): void {
  const turn = draft.sessions.at(-1)?.turns.at(-1);
  if (turn?.kind !== 'statement') throw unreadable(line, 'a label without its statement');
  const [id = '', ...fields] = fieldsOf(line.text.slice(2));
  if (!/^p\d\d$/.test(id) || draft.statements.some((statement) => statement.id === id)) {
    throw unreadable(line, 'a statement needs a number of its own');
  }
  draft.statements.push({ id, turn: turn.id, ...parseLabel(line, fields, turn.text) });
}

function readRequest(draft: Draft, line: Line): void {
  const [name, text = '', ids = '', ...extras] = fieldsOf(line.text.slice(2));
  const slice = REQUEST_SLICES.find((known) => known === name);
  if (slice === undefined || text === '') throw unreadable(line, `there is no slice '${name}'`);
  const intended = ids.split(/\s+/);
  const extra = (word: string) =>
    extras.find((field) => field.startsWith(`${word} `))?.slice(word.length + 1);
  const old = extra('old');
  for (const id of [...intended, ...(old === undefined ? [] : [old])]) {
    if (!draft.statements.some((statement) => statement.id === id))
      throw unreadable(line, `no ${id} is told`);
  }
  const decoyName = extra('decoy');
  const decoy = decoyName === undefined ? undefined : draft.decoys.get(decoyName);
  if (decoyName !== undefined && decoy === undefined) throw unreadable(line, `no ${decoyName} is told`);
  const context = extras
    .filter((field) => field.startsWith('<'))
    .map((field) => field.replace(/^<\s*(?:A: )?/, ''));
  draft.requests.push({
    id: `r${String(draft.requests.length + 1).padStart(2, '0')}`,
    slice,
    text,
    context,
    intended,
    ...(old === undefined ? {} : { old }),
    ...(decoy === undefined ? {} : { decoy }),
  });
}
