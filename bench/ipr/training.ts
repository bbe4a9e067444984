// What training takes from the authored texts: requests with the statement they need, and labelled spans.
import type { StatementLabel } from './person.js';
import type { TrainingGroup } from './training-texts.js';

/** A request, the statement that answers it, and statements of the same form and domain that do not. */
export interface TrainingPair {
  request: string;
  statement: string;
  negatives: readonly string[];
}

/** What an extractor should find in one statement. Offsets are UTF-16 units of `text`. */
export interface LabelledSpan extends Omit<StatementLabel, 'subject'> {
  text: string;
  start: number;
  end: number;
  /** 'user', where the statement names the other person, or 'unnamed': an earlier turn did. */
  subject: 'user' | 'unnamed' | { start: number; end: number };
}

/** Every request with its statement; the others of its group are its hard negatives. */
export function trainingPairs(groups: readonly TrainingGroup[]): TrainingPair[] {
  return groups.flatMap(({ statements }) =>
    statements.flatMap(({ text, requests }) =>
      requests.map((request) => ({
        request,
        statement: text,
        negatives: statements.flatMap((other) => (other.text === text ? [] : [other.text])),
      })),
    ),
  );
}

export function labelledSpans(
  statements: ReadonlyArray<{ text: string; labels: readonly StatementLabel[] }>,
): LabelledSpan[] {
  return statements.flatMap(({ text, labels }) =>
    labels.map(({ subject, ...label }) => {
      const start = text.indexOf(label.span);
      return { ...label, text, start, end: start + label.span.length, subject: subjectIn(text, subject) };
    }),
  );
}

function subjectIn(text: string, subject: string): LabelledSpan['subject'] {
  if (subject === 'user') return 'user';
  const start = text.toLowerCase().indexOf(subject.toLowerCase());
  return start < 0 ? 'unnamed' : { start, end: start + subject.length };
}
