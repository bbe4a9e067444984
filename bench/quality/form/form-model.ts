// What form alone tells of a gold turn: a model fitted on the user's turns of the train split.
import { type Corpus, type ReadPerson, readCorpus } from '../../ipr/corpus.js';
import { turnsOf } from '../../ipr/person.js';
import { decidingTurns } from '../../ipr/readings.js';
import { formOf } from './features.js';
import { areaUnderCurve, fitLogistic, type Logistic, logit } from './logistic.js';

interface Rows {
  features: Float64Array[];
  /** The turn decides a request. */
  gold: boolean[];
}

/** A user's turns with whether any request is decided by them. */
function rowsOf(person: ReadPerson): Rows {
  const deciding = new Set([...person.gold.values()].flatMap(decidingTurns));
  const turns = turnsOf(person).filter(({ by }) => by === 'User');
  return { features: turns.map(({ text }) => formOf(text)), gold: turns.map(({ id }) => deciding.has(id)) };
}

function fit(people: readonly ReadPerson[]): Logistic {
  const rows = people.map(rowsOf);
  return fitLogistic(
    rows.flatMap(({ features }) => features),
    rows.flatMap(({ gold }) => gold),
  );
}

let onTrain: Logistic | undefined;

/** The model of the train split, fitted once a process. */
export function trainedForm(): Logistic {
  onTrain ??= fit(readCorpus('train').people);
  return onTrain;
}

/** AUC over the user's turns; on the train split each person is judged by a model of the others. */
export function formAuc({ split, people }: Corpus): number {
  const scores: number[] = [];
  const gold: boolean[] = [];
  for (const person of people) {
    const model = split === 'train' ? fit(people.filter(({ id }) => id !== person.id)) : trainedForm();
    const rows = rowsOf(person);
    scores.push(...rows.features.map((row) => logit(model, row)));
    gold.push(...rows.gold);
  }
  return areaUnderCurve(scores, gold);
}
