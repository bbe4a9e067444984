// What is asked at a dialogue's end, the turns that answer it, and the slices it is reported under.
import type { BenchQuery } from '../quality/dataset.js';
import type { Friends, Persona, Preference } from './corpus.js';
import type { Dated } from './sessions.js';

/** Upper bounds, in turns, of the bins of the paper's figure; the last one is open: 60 and more. */
const GAPS = [
  { from: 60, label: '60+' },
  { from: 41, label: '41-59' },
  { from: 21, label: '21-40' },
  { from: 1, label: '1-20' },
] as const;

/** All queries of a persona that this dialogue can answer, or that nothing answers. */
export function dialogueQueries(
  dialogue: string,
  persona: Persona,
  preferences: readonly Preference[],
  dated: Dated,
): BenchQuery[] {
  const shared = [`domain=${persona.domain}`];
  const make = (
    id: string,
    text: string,
    stated: readonly string[],
    slices: readonly string[],
  ): BenchQuery => {
    const gold = stated.flatMap((preference) => dated.statedBy.get(preference) ?? []);
    return {
      id: `${dialogue}-${id}`,
      text,
      at: dated.askedAt,
      gold: new Set(gold),
      slices: [...slices, ...shared, ...(gold.length === 0 ? [] : [`gap=${gapOf(gold, dated)}`])],
    };
  };
  const ofPreference = preferences.flatMap(({ id, kind, implicit, explicit }) => [
    ...implicit.map(({ text, slice, context }, number) => ({
      ...make(
        `${id}-i${number}`,
        text,
        [id],
        ['query=implicit', `phenomenon=${slice}`, `preference=${kind}`],
      ),
      ...(context === undefined ? {} : { context }),
    })),
    ...explicit.map(({ text, kind: query }, number) =>
      make(`${id}-x${number}`, text, [id], [`query=${query}`, `preference=${kind}`]),
    ),
  ]);
  const ofPersona = persona.questions.flatMap(({ text, kind, gold }, number) => {
    const told = gold.filter((id) => dated.statedBy.has(id));
    // An open question is answered by whatever was told; the others need all of their gold.
    const answerable =
      kind === 'open' ? told.length >= 2 || told.length === gold.length : told.length === gold.length;
    return answerable ? [make(`q${number}`, text, told, [`query=${kind}`])] : [];
  });
  return [...ofPreference, ...ofPersona];
}

/** The questions of a two-person conversation. */
export function friendsQueries({ id, questions }: Friends, askedAt: number): BenchQuery[] {
  return questions.map(({ text, kind, gold }, number) => ({
    id: `${id}-q${number}`,
    text,
    at: askedAt,
    gold: new Set(gold),
    slices: [`query=${kind}`],
  }));
}

/** Turns between the oldest gold turn and the query. */
function gapOf(gold: readonly string[], { turns }: Dated): string {
  const oldest = turns.findIndex(({ id }) => gold.includes(id));
  const gap = turns.length - oldest;
  return GAPS.find(({ from }) => gap >= from)?.label ?? '1-20';
}
