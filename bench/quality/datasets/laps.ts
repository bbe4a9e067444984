// LAPS: multi-session dialogues written by people, with the preferences each session revealed.
import { basename } from 'node:path';
import { z } from 'zod';
import { readJsonFile } from '../../../src/ingest/sources/read-source.js';
import { termsOf } from '../../../src/text/terms.js';
import type { BenchConversation, BenchQuery, Dataset } from '../dataset.js';

const WEEK_MS = 7 * 86_400_000;
const TURN_MS = 60_000;

export const LAPS_FILES = [
  'movie_dataset.json',
  'recipe_dataset_train.json',
  'recipe_dataset_val.json',
] as const;

/** A preference the annotators noted for a session. */
export interface LapsPreference {
  /** 'genre_preferences_like'. */
  category: string;
  value: string;
  polarity: 1 | -1;
  /** Ids of the user's turns of the session that contain the value's words; empty when it was paraphrased. */
  statedBy: readonly string[];
}

export interface LapsSession {
  turns: ReadonlyArray<{ id: string; speaker: 'User' | 'Assistant'; text: string }>;
  preferences: readonly LapsPreference[];
}

export interface LapsUser {
  id: string;
  sessions: readonly LapsSession[];
}

const userSchema = z.looseObject({
  sessions: z.array(
    z.looseObject({
      dialogue: z.array(z.looseObject({ role: z.enum(['User', 'Assistant']), message: z.coerce.string() })),
      preferences: z.record(z.string(), z.array(z.coerce.string())).catch({}),
    }),
  ),
});

/** The users of one file; what does not read as a user is left out. */
export function readLaps(file: string): LapsUser[] {
  const name = basename(file, '.json').replace('_dataset', '');
  return z
    .array(z.unknown())
    .parse(readJsonFile(file))
    .flatMap((entry, number) => {
      const { data } = userSchema.safeParse(entry);
      return data === undefined
        ? []
        : [{ id: `${name}-${number}`, sessions: data.sessions.map(readSession) }];
    });
}

/**
 * Each preference that some turn states is asked for twice: by its category alone ('genre preferences like'),
 * where every turn of the user that states one of that category is gold, and by category and value.
 */
export function lapsDataset(files: readonly string[]): Dataset {
  const users = files.flatMap(readLaps);
  return { name: 'laps', split: 'all', conversations: users.map(toBench) };
}

function readSession(session: z.infer<typeof userSchema>['sessions'][number], number: number): LapsSession {
  const turns = session.dialogue.map(({ role, message }, position) => ({
    id: `s${number + 1}:${position + 1}`,
    speaker: role,
    text: message.trim(),
  }));
  const preferences = Object.entries(session.preferences).flatMap(([category, values]) =>
    values
      .filter((value) => value.trim() !== '')
      .map((value) => ({
        category,
        value: value.trim(),
        polarity: /dislike|allerg|restriction/.test(category) ? (-1 as const) : (1 as const),
        statedBy: turnsWith(turns, value),
      })),
  );
  return { turns, preferences };
}

function turnsWith(turns: LapsSession['turns'], value: string): string[] {
  const wanted = termsOf(value);
  return turns
    .filter(({ speaker, text }) => {
      const said = new Set(termsOf(text));
      return speaker === 'User' && wanted.length > 0 && wanted.every((term) => said.has(term));
    })
    .map(({ id }) => id);
}

function toBench({ id, sessions }: LapsUser): BenchConversation {
  const turns = sessions.flatMap(({ turns: said }, number) =>
    said.map(({ id: turn, speaker, text }, position) => ({
      id: turn,
      session: `s${number + 1}`,
      speaker,
      text,
      at: number * WEEK_MS + position * TURN_MS,
      dateSource: 'ingest' as const,
    })),
  );
  const stated = sessions
    .flatMap(({ preferences }) => preferences)
    .filter(({ statedBy }) => statedBy.length > 0);
  const queries: BenchQuery[] = [];
  const ask = (text: string, kind: string, gold: readonly string[]) =>
    queries.push({
      id: `${id}-q${queries.length}`,
      text,
      at: sessions.length * WEEK_MS,
      gold: new Set(gold),
      slices: [`query=${kind}`],
    });
  for (const category of new Set(stated.map((preference) => preference.category))) {
    const words = category.replaceAll('_', ' ');
    const ofCategory = stated.filter((preference) => preference.category === category);
    ask(
      words,
      'category',
      ofCategory.flatMap(({ statedBy }) => statedBy),
    );
    for (const { value, statedBy } of ofCategory) ask(`${words}: ${value}`, 'value', statedBy);
  }
  return { id, turns, queries };
}
