// The training texts: groups of statements of one domain and register by different people, two requests each.
import { textFiles } from './corpus.js';
import { fieldsOf, linesOf, parseLabel, unreadable } from './lines.js';
import type { StatementLabel } from './person.js';

export interface TrainingStatement {
  text: string;
  labels: readonly StatementLabel[];
  /** Requests whose answer hangs on this statement. */
  requests: readonly string[];
}

/** Statements that are each other's hard negatives: same domain, same register, other people. */
export interface TrainingGroup {
  file: string;
  writer: string;
  domain: string;
  register: string;
  statements: readonly TrainingStatement[];
}

/** Every group, in the order of file names. @throws SOURCE_INVALID naming the file and line. */
export function readTrainingTexts(): TrainingGroup[] {
  return textFiles('training', '.txt').map(({ name, source }) => readTrainingGroup(name, source));
}

export function readTrainingGroup(file: string, source: string): TrainingGroup {
  const [head, ...lines] = linesOf(file, source);
  const [id = '', domain = '', register = '', writer = ''] = fieldsOf(head?.text.replace(/^# /, '') ?? '');
  if (head === undefined || !head.text.startsWith('# ') || id === '' || writer === '') {
    throw unreadable(head ?? { text: '', file, number: 1 }, 'the head names id, domain, register, writer');
  }
  const statements: Array<{ text: string; labels: StatementLabel[]; requests: string[] }> = [];
  for (const line of lines) {
    const [, mark, rest = ''] = /^(S:|=|\?) (.+)$/.exec(line.text) ?? [];
    const current = statements.at(-1);
    if (mark === 'S:') statements.push({ text: rest, labels: [], requests: [] });
    else if (current === undefined || mark === undefined) throw unreadable(line, 'is no line of the grammar');
    else if (mark === '?') current.requests.push(rest);
    else current.labels.push(parseLabel(line, fieldsOf(rest), current.text));
  }
  return { file, writer, domain, register, statements };
}
