// PrefEval preferences stitched into LoCoMo conversations: one preference a topic among hundreds of turns.
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import type { Turn } from '../../../src/contract/turn.js';
import { readLocomo } from '../../../src/ingest/sources/locomo.js';
import { readJsonFile } from '../../../src/ingest/sources/read-source.js';
import { termsOf } from '../../../src/text/terms.js';
import { between, type Random, seededRandom, shuffled } from '../../random.js';
import type { BenchConversation, BenchQuery, Dataset } from '../dataset.js';
import { locomoTurns } from './locomo.js';

/** How a preference is revealed: stated, by choosing among options, or in passing in a longer conversation. */
export const PREFEVAL_FORMS = ['explicit', 'choice', 'persona'] as const;
export type PrefevalForm = (typeof PREFEVAL_FORMS)[number];

const FOLDERS: Readonly<Record<PrefevalForm, string>> = {
  explicit: 'explicit_preference',
  choice: join('implicit_preference', 'choice-based'),
  persona: join('implicit_preference', 'persona-driven'),
};
const USERS = 50;
/** Turns of LoCoMo are a minute apart; a stitched block of up to 14 turns fits between two of them. */
const STITCH_MS = 4000;

const text = z.string().trim().min(1);
const explicitSchema = z.looseObject({ preference: text, question: text });
const choiceSchema = explicitSchema.extend({
  conversation: z.looseObject({
    query: text,
    assistant_options: text,
    user_selection: text,
    assistant_acknowledgment: text,
  }),
});
const personaSchema = explicitSchema.extend({
  conversation: z.record(z.string(), z.looseObject({ user: text, assistant: text })),
});

interface Said {
  by: 'user' | 'assistant';
  text: string;
}

/** One preference as it is revealed, and the question that needs it. */
export interface PrefevalItem {
  topic: string;
  question: string;
  said: readonly Said[];
  /** Which of `said` reveals it. */
  gold: number;
}

/** The items of every topic in one form; entries that lack a field are counted, not used. */
export function readPrefeval(
  folder: string,
  form: PrefevalForm,
): { topics: PrefevalItem[][]; skipped: number } {
  const files = readdirSync(join(folder, FOLDERS[form])).filter((name) => name.endsWith('.json'));
  let skipped = 0;
  const topics = files.sort().map((name) => {
    const file = join(folder, FOLDERS[form], name);
    const entries = z.array(z.unknown()).parse(readJsonFile(file));
    const items = entries.flatMap((entry) => readItem(entry, form, basename(name, '.json')) ?? []);
    skipped += entries.length - items.length;
    return items;
  });
  return { topics: topics.filter((items) => items.length > 0), skipped };
}

/** 50 users, each a LoCoMo conversation with one preference of every topic stitched in at random places. */
export function prefevalDataset(
  folder: string,
  locomoFile: string,
  form: PrefevalForm,
  seed: number,
): Dataset {
  const { topics } = readPrefeval(folder, form);
  const hosts = readLocomo(readJsonFile(locomoFile), locomoFile).map(locomoTurns);
  const decks = topics.map((items, topic) => shuffled(items, seededRandom('prefeval', seed, topic)));
  const conversations = Array.from({ length: USERS }, (_, user) => {
    const items = decks.flatMap((deck) => deck[user % deck.length] ?? []);
    return stitch(
      `user-${user}`,
      hosts[user % hosts.length] ?? [],
      items,
      seededRandom('stitch', seed, user),
    );
  });
  return { name: 'prefeval', split: form, conversations };
}

/** A person's preferences alone, one a topic; those of five persons together; all of the set. */
export const PREFEVAL_POOLS = ['own', 'five', 'all'] as const;
export type PrefevalPool = (typeof PREFEVAL_POOLS)[number];
const TOGETHER = 5;

/**
 * The form-matched measure: the turns that reveal a preference are the only candidates, in `pool` of them. Persons
 * are dealt as for the stitched set; each asks for the preferences of their own.
 */
export function prefevalStatements(
  folder: string,
  form: PrefevalForm,
  pool: PrefevalPool,
  seed: number,
): Dataset {
  const { topics } = readPrefeval(folder, form);
  const decks = topics.map((items, topic) => shuffled(items, seededRandom('prefeval', seed, topic)));
  const persons = Array.from({ length: USERS }, (_, user) =>
    decks.flatMap((deck) => deck[user % deck.length] ?? []),
  );
  const conversations = persons.map((items, user) => {
    const beside = Array.from({ length: TOGETHER }, (_, step) => persons[(user + step) % USERS] ?? []);
    const held = pool === 'own' ? items : pool === 'five' ? beside.flat() : topics.flat();
    return statementsOf(`user-${user}`, items, [...new Set(held)], seededRandom('held', seed, user));
  });
  return { name: 'prefeval', split: `${form}-${pool}`, conversations };
}

function statementsOf(
  id: string,
  items: readonly PrefevalItem[],
  held: readonly PrefevalItem[],
  random: Random,
): BenchConversation {
  const names = new Map(held.map((item, place) => [item, `${item.topic}:${place}`]));
  const turns = shuffled(held, random).map((item, place): Turn => {
    const name = names.get(item) ?? '';
    const text = item.said[item.gold]?.text ?? '';
    return { id: name, session: name, speaker: 'User', text, at: place, dateSource: 'given' };
  });
  const queries = items.map((item) => ({
    id: `${id}-${item.topic}`,
    text: item.question,
    gold: new Set([names.get(item) ?? '']),
    slices: [`topic=${item.topic}`],
  }));
  return { id, turns, queries };
}

function stitch(
  id: string,
  host: readonly Turn[],
  items: readonly PrefevalItem[],
  random: Random,
): BenchConversation {
  const places = shuffled([...host.keys()], random).slice(0, items.length);
  const after = new Map(places.map((place, position) => [place, items[position]]));
  const user = host[0]?.speaker ?? 'User';
  const turns: Turn[] = [];
  const queries: BenchQuery[] = [];
  const askedAt = (host.at(-1)?.at ?? 0) + between(random, 1, 3) * 86_400_000;
  for (const [place, turn] of host.entries()) {
    turns.push(turn);
    const item = after.get(place);
    if (item === undefined) continue;
    const block = item.said.map(
      ({ by, text }, position): Turn => ({
        ...turn,
        id: `${item.topic}:${position + 1}`,
        speaker: by === 'user' ? user : 'Assistant',
        text,
        at: turn.at + (position + 1) * STITCH_MS,
      }),
    );
    turns.push(...block.map(({ caption: _, ...rest }) => rest));
    queries.push({
      id: `${id}-${item.topic}`,
      text: item.question,
      at: askedAt,
      gold: new Set([`${item.topic}:${item.gold + 1}`]),
      slices: [`topic=${item.topic}`],
    });
  }
  return { id, turns, queries };
}

function readItem(entry: unknown, form: PrefevalForm, topic: string): PrefevalItem | undefined {
  if (form === 'explicit') {
    const { data } = explicitSchema.safeParse(entry);
    return data && { topic, question: data.question, said: [{ by: 'user', text: data.preference }], gold: 0 };
  }
  if (form === 'choice') {
    const { data } = choiceSchema.safeParse(entry);
    if (data === undefined) return undefined;
    const { query, assistant_options, user_selection, assistant_acknowledgment } = data.conversation;
    const said: Said[] = [
      { by: 'user', text: query },
      { by: 'assistant', text: assistant_options },
      { by: 'user', text: user_selection },
      { by: 'assistant', text: assistant_acknowledgment },
    ];
    return { topic, question: data.question, said, gold: 2 };
  }
  const { data } = personaSchema.safeParse(entry);
  if (data === undefined) return undefined;
  const said = Object.entries(data.conversation)
    .sort(([a], [b]) => Number(a) - Number(b))
    .flatMap(([, { user, assistant }]): Said[] => [
      { by: 'user', text: user },
      { by: 'assistant', text: assistant },
    ]);
  return { topic, question: data.question, said, gold: revealing(said, data.preference) };
}

/** The file does not say which turn reveals the preference: the user's turn with most of its words does. */
function revealing(said: readonly Said[], preference: string): number {
  const wanted = new Set(termsOf(preference));
  const rarity = new Map<string, number>();
  for (const { text } of said)
    for (const term of new Set(termsOf(text))) rarity.set(term, (rarity.get(term) ?? 0) + 1);
  const weights = said.map(({ by, text }) => {
    if (by === 'assistant') return 0;
    const shared = [...new Set(termsOf(text))].filter((term) => wanted.has(term));
    return shared.reduce((sum, term) => sum + Math.log(1 + said.length / (rarity.get(term) ?? 1)), 0);
  });
  return weights.indexOf(Math.max(...weights));
}
