// What later training takes from the corpus: requests with the statement they need, and labelled spans.
import { type Corpus, currentStatement, type Persona, type Preference } from './corpus.js';

/** A request and the turn that answers it, with turns of the same person that do not. */
export interface TrainingPair {
  persona: string;
  kind: 'implicit' | 'explicit';
  /** The turns just before the request, oldest first. */
  context: readonly string[];
  request: string;
  statement: string;
  /** Superseded or someone else's statement where there is one, then near-misses, then other statements. */
  negatives: readonly string[];
}

/** What an extractor should find in one statement. Offsets are UTF-16 units of `text`. */
export interface LabelledSpan {
  persona: string;
  text: string;
  start: number;
  end: number;
  /** 'user', or where the statement names the other person. */
  subject: 'user' | { start: number; end: number };
  relation: Preference['relation'];
  polarity: 1 | -1;
  concept: string;
  conceptType: Preference['conceptType'];
}

/** Every request of a split with its statement. */
export function trainingPairs(corpus: Corpus): TrainingPair[] {
  return corpus.personas.flatMap((persona) =>
    persona.preferences.flatMap((preference) => {
      const shared = {
        persona: persona.id,
        statement: currentStatement(preference),
        negatives: negativesOf(persona, preference),
      };
      return [
        ...preference.implicit.map(({ text, context = [] }) => ({
          ...shared,
          kind: 'implicit' as const,
          context,
          request: text,
        })),
        ...preference.explicit.map(({ text }) => ({
          ...shared,
          kind: 'explicit' as const,
          context: [],
          request: text,
        })),
      ];
    }),
  );
}

/** Every statement of a split, the later ones included, with its labels. */
export function labelledSpans(corpus: Corpus): LabelledSpan[] {
  return corpus.personas.flatMap((persona) =>
    persona.preferences.flatMap((preference) =>
      [preference, ...(preference.later === undefined ? [] : [preference.later])].map((said) => {
        const start = said.statement.indexOf(said.span);
        return {
          persona: persona.id,
          text: said.statement,
          start,
          end: start + said.span.length,
          subject: subjectOf(preference.subject, said.statement),
          relation: said.relation,
          polarity: said.polarity,
          concept: preference.concept,
          conceptType: preference.conceptType,
        };
      }),
    ),
  );
}

function subjectOf(subject: string, statement: string): LabelledSpan['subject'] {
  const start = subject === 'user' ? -1 : statement.indexOf(subject);
  return start < 0 ? 'user' : { start, end: start + subject.length };
}

function negativesOf(persona: Persona, preference: Preference): string[] {
  const others = persona.preferences.filter(({ id }) => id !== preference.id);
  const traps = others.filter(({ trapFor, id }) => trapFor === preference.id || id === preference.trapFor);
  return [
    ...new Set([
      ...(preference.later === undefined ? [] : [preference.statement]),
      ...traps.map(currentStatement),
      ...persona.distractors.filter(({ kind }) => kind === 'near-miss').map(({ text }) => text),
      ...others.map(currentStatement),
    ]),
  ];
}
