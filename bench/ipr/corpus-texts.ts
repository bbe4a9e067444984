// The corpus as flat lists of texts with their places, for the checks that hold it to its rules.
import { type Corpus, type Persona, readCorpus, SPLITS, type Split } from './corpus.js';
import { maskNamed, type NamedText } from './variety.js';

/** Every split, read. */
export function wholeCorpus(): Record<Split, Corpus> {
  const [train, dev, test] = SPLITS.map((split) => readCorpus(split));
  if (train === undefined || dev === undefined || test === undefined)
    throw new RangeError('a split is missing');
  return { train, dev, test };
}

/** Statements, later ones included, with named items masked. */
export function maskedStatements({ personas }: Corpus): NamedText[] {
  return personas.flatMap(({ id: persona, preferences }) =>
    preferences.flatMap(({ id, statement, later, named }) => [
      { place: `${persona} ${id}`, text: maskNamed(statement, named) },
      ...(later === undefined
        ? []
        : [{ place: `${persona} ${id} later`, text: maskNamed(later.statement, named) }]),
    ]),
  );
}

/** Implicit and explicit queries and questions, with named items masked. */
export function maskedQueries(corpus: Corpus): NamedText[] {
  return queriesWith(corpus, maskNamed);
}

export function queries(corpus: Corpus): NamedText[] {
  return queriesWith(corpus, (text) => text);
}

/** Everything anyone says or asks in a split. */
export function allTexts(corpus: Corpus): NamedText[] {
  return [
    ...corpus.personas.flatMap(personaTexts),
    ...corpus.friends.flatMap(({ id, sessions }) =>
      sessions.flatMap(({ turns }) => turns.map((turn) => ({ place: `${id} ${turn.id}`, text: turn.text }))),
    ),
    ...queries(corpus),
  ];
}

function personaTexts({ id: persona, preferences, distractors }: Persona): NamedText[] {
  return [
    ...preferences.flatMap(({ id, lead, statement, reply, later }) => {
      const said = [lead, statement, reply, later?.statement, later?.reply];
      return said.flatMap((text, part) =>
        text === undefined ? [] : [{ place: `${persona} ${id}.${part}`, text }],
      );
    }),
    ...distractors.flatMap(({ text, reply }, number) => [
      { place: `${persona} distractor ${number}`, text },
      { place: `${persona} distractor ${number} reply`, text: reply },
    ]),
  ];
}

function queriesWith(
  { personas, friends }: Corpus,
  change: (text: string, named: readonly string[]) => string,
): NamedText[] {
  const ofPreferences = personas.flatMap(({ id: persona, preferences }) =>
    preferences.flatMap(({ id, implicit, explicit, named }) =>
      [...implicit, ...explicit].map(({ text }, number) => ({
        place: `${persona} ${id} query ${number}`,
        text: change(text, named),
      })),
    ),
  );
  const questions = [...personas, ...friends].flatMap(({ id, questions: asked }) =>
    asked.map(({ text }, number) => ({ place: `${id} question ${number}`, text })),
  );
  return [...ofPreferences, ...questions];
}
