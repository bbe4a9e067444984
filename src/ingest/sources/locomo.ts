// LoCoMo JSON: two friends over many sessions, with questions and the turns that answer them.
import { z } from 'zod';
import type { TurnInput } from '../../contract/turn.js';
import { OntomemError } from '../../errors.js';
import { checkSource } from './check-source.js';
import type { SourceBatch, SourceDefaults } from './source.js';

export interface LocomoQuestion {
  text: string;
  /** 1 multi-hop, 2 temporal, 3 open-domain, 4 single-hop, 5 adversarial. */
  category: number;
  /** Ids of existing turns, without duplicates; empty when the file names none that exists. */
  evidence: string[];
  /** Evidence entries that name no turn of the conversation. */
  dropped: string[];
}

export interface LocomoConversation {
  id: string;
  speakers: [string, string];
  sessions: Array<{ session: string; at: number | undefined; turns: TurnInput[] }>;
  questions: LocomoQuestion[];
}

const turnSchema = z.looseObject({
  speaker: z.string().min(1),
  dia_id: z.string().min(1),
  text: z.string(),
  blip_caption: z.string().optional(),
});
const questionSchema = z.looseObject({
  question: z.coerce.string(),
  evidence: z.array(z.string()),
  category: z.int(),
});
const conversationSchema = z.looseObject({ speaker_a: z.string(), speaker_b: z.string() });
const sampleSchema = z.looseObject({
  sample_id: z.string().min(1),
  conversation: conversationSchema,
  qa: z.array(questionSchema).optional(),
});

/** Reads a parsed LoCoMo file. @throws SOURCE_INVALID naming the sample and field. */
export function readLocomo(document: unknown, file: string): LocomoConversation[] {
  const samples = checkSource(z.array(sampleSchema), document, file);
  return samples.map((sample, position) => readSample(sample, `${file}[${position}]`));
}

/** A LoCoMo file as batches to ingest: one scope a conversation, under the default tenant. */
export function locomoBatches(document: unknown, file: string, defaults: SourceDefaults): SourceBatch[] {
  return readLocomo(document, file).flatMap((conversation) =>
    conversation.sessions.map(({ session, turns }) => ({
      scope: { tenant: defaults.scope.tenant, user: conversation.id },
      session,
      turns,
    })),
  );
}

function readSample(sample: z.infer<typeof sampleSchema>, input: string): LocomoConversation {
  const sessions = Object.entries(sample.conversation)
    .flatMap(([key, value]) => {
      const number = /^session_(\d+)$/.exec(key)?.[1];
      return number === undefined ? [] : [{ number: Number(number), turns: value }];
    })
    .sort((a, b) => a.number - b.number)
    .map(({ number, turns }) => readSession(sample.conversation, number, turns, `${input}.conversation`));
  const ids = new Set(sessions.flatMap(({ turns }) => turns.map(({ id }) => id ?? '')));
  return {
    id: sample.sample_id,
    speakers: [sample.conversation.speaker_a, sample.conversation.speaker_b],
    sessions,
    questions: (sample.qa ?? []).map((qa) => ({
      text: qa.question.trim(),
      category: qa.category,
      ...splitEvidence(qa.evidence, ids),
    })),
  };
}

function readSession(conversation: Record<string, unknown>, number: number, value: unknown, input: string) {
  const session = `session_${number}`;
  const turns = checkSource(z.array(turnSchema), value, `${input}.${session}`);
  const dateText = conversation[`${session}_date_time`];
  const at =
    typeof dateText === 'string' ? parseSessionDate(dateText, `${input}.${session}_date_time`) : undefined;
  return {
    session,
    at,
    turns: turns.map((turn, position): TurnInput => {
      const caption = turn.blip_caption?.trim();
      return {
        id: turn.dia_id,
        speaker: turn.speaker,
        text: turn.text.trim(),
        // Turns of a session are a minute apart: the file dates sessions only.
        ...(at === undefined ? {} : { at: at + position * 60_000 }),
        ...(caption ? { caption } : {}),
      };
    }),
  };
}

/**
 * 'D8:6; D9:17' -> two ids. An id counts as it is written: the public file's one 'D30:05' names no turn
 * ('D30:5' would), so its question is left without evidence and 1,535 of categories 1 to 4 remain.
 */
export function splitEvidence(entries: readonly string[], ids: ReadonlySet<string>) {
  const evidence = new Set<string>();
  const dropped: string[] = [];
  for (const entry of entries) {
    const named = [...entry.matchAll(/D\d+:\d+/g)].map(([id]) => id);
    const known = named.filter((id) => ids.has(id));
    for (const id of known) evidence.add(id);
    if (known.length === 0 || known.length < named.length) dropped.push(entry);
  }
  return { evidence: [...evidence], dropped };
}

const SESSION_DATE = /^\s*(\d{1,2}):(\d{2})\s*(am|pm)\s+on\s+(\d{1,2})\s+([A-Za-z]+),?\s+(\d{4})\s*$/i;

/** '1:56 pm on 8 May, 2023' -> milliseconds; the file gives no time zone, so UTC. */
export function parseSessionDate(text: string, input: string): number {
  const match = SESSION_DATE.exec(text);
  const [, hour, minute, half, day, month, year] = match ?? [];
  const date = Date.parse(`${day} ${month} ${year} 00:00 UTC`);
  if (match === null || Number.isNaN(date)) {
    throw new OntomemError('DATE_INVALID', {
      input,
      problem: `${JSON.stringify(text)} is not like '1:56 pm on 8 May, 2023'`,
    });
  }
  const hours = (Number(hour) % 12) + (half?.toLowerCase() === 'pm' ? 12 : 0);
  return date + (hours * 60 + Number(minute)) * 60_000;
}
