// The authored corpus as typed values: personas, their preferences, distractors, and two-person conversations.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { UsageError } from '../../src/cli/command.js';
import { check } from '../../src/contract/check.js';

export const SPLITS = ['train', 'dev', 'test'] as const;
export type Split = (typeof SPLITS)[number];

/** dist/bench/ipr -> the corpus in the sources. */
const CORPUS = fileURLToPath(new URL('../../../bench/ipr/corpus', import.meta.url));

const text = z.string().trim().min(1);
const relation = z.enum([
  'LIKES',
  'DISLIKES',
  'AVOIDS',
  'OWNS',
  'PLANS',
  'HABIT',
  'LIVES_IN',
  'WORKS_AS',
  'RELATED_TO',
]);
const polarity = z.union([z.literal(1), z.literal(-1)]);
const questionKind = z.enum(['single', 'multihop', 'temporal', 'open', 'unanswerable']);

const implicitSchema = z.strictObject({
  text,
  slice: z.enum(['plain', 'alias', 'ellipsis', 'cross-domain']),
  context: z.array(text).optional(),
});
const preferenceSchema = z.strictObject({
  id: text,
  kind: z.enum(['explicit', 'hedged', 'negative', 'changed', 'anecdote', 'other']),
  lead: text.optional(),
  statement: text,
  reply: text,
  span: text,
  subject: text,
  relation,
  polarity,
  concept: text,
  conceptType: z.enum([
    'genre',
    'mood',
    'format',
    'theme',
    'creator',
    'era',
    'language',
    'cuisine',
    'dish',
    'ingredient',
    'diet',
    'drink',
    'technique',
    'occasion',
    'tool',
    'schedule',
    'method',
    'environment',
    'communication',
    'place',
    'hobby',
  ]),
  named: z.array(text).default([]),
  later: z.strictObject({ statement: text, reply: text, span: text, relation, polarity }).optional(),
  trapFor: text.optional(),
  implicit: z.array(implicitSchema).min(1),
  explicit: z.array(z.strictObject({ text, kind: questionKind })).default([]),
});
const personaSchema = z.strictObject({
  id: text,
  split: z.enum(SPLITS),
  domain: z.enum(['movies', 'food', 'productivity']),
  name: text,
  about: text,
  preferences: z.array(preferenceSchema),
  distractors: z.array(
    z.strictObject({
      kind: z.enum(['smalltalk', 'other-domain', 'other-sense', 'near-miss']),
      text,
      reply: text,
    }),
  ),
  questions: z.array(z.strictObject({ text, kind: questionKind, gold: z.array(text) })),
});
const friendsSchema = z.strictObject({
  id: text,
  split: z.enum(SPLITS),
  speakers: z.tuple([text, text]),
  sessions: z.array(
    z.strictObject({
      at: text,
      turns: z.array(z.strictObject({ id: text, speaker: text, text })),
    }),
  ),
  questions: z.array(z.strictObject({ text, kind: questionKind, gold: z.array(text) })),
});

export type Persona = z.infer<typeof personaSchema>;
/** A preference with its statement, labels, and the queries that need it. */
export type Preference = z.infer<typeof preferenceSchema>;
export type Distractor = Persona['distractors'][number];
export type Friends = z.infer<typeof friendsSchema>;

export interface Corpus {
  split: Split;
  personas: readonly Persona[];
  friends: readonly Friends[];
}

/** Reads one split, files in the order of their names. @throws INVALID_ARGUMENT naming the file and field. */
export function readCorpus(split: Split, folder = CORPUS): Corpus {
  if (!existsSync(folder)) {
    throw new UsageError('the authored corpus comes with the sources of ontomem: run this in a clone');
  }
  const names = readdirSync(join(folder, split)).filter((name) => name.endsWith('.json'));
  const files = names.sort().map((name) => ({
    name: `${split}/${name}`,
    document: JSON.parse(readFileSync(join(folder, split, name), 'utf8')) as unknown,
  }));
  const of = (kind: string) => files.filter(({ name }) => name.startsWith(`${split}/${kind}-`));
  return {
    split,
    personas: of('persona').map(({ name, document }) => check(personaSchema, document, name)),
    friends: of('friends').map(({ name, document }) => check(friendsSchema, document, name)),
  };
}

/** The statement that holds now: of a changed preference, the later one. */
export function currentStatement(preference: Preference): string {
  return preference.later?.statement ?? preference.statement;
}
