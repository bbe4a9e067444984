// ChatGPT's export (conversations.json): each conversation is a tree of messages; the shown branch is read.
import { z } from 'zod';
import type { TurnInput } from '../../contract/turn.js';
import { checkSource } from './check-source.js';
import type { SourceBatch, SourceDefaults } from './source.js';

const messageSchema = z.looseObject({
  author: z.looseObject({ role: z.string() }),
  content: z.looseObject({ parts: z.array(z.unknown()).optional() }).nullish(),
  create_time: z.number().nullish(),
});
const nodeSchema = z.looseObject({
  message: messageSchema.nullish(),
  parent: z.string().nullish(),
  children: z.array(z.string()).optional(),
});
const conversationSchema = z.looseObject({
  id: z.string().optional(),
  conversation_id: z.string().optional(),
  title: z.string().nullish(),
  create_time: z.number().nullish(),
  current_node: z.string().nullish(),
  mapping: z.record(z.string(), nodeSchema),
});

type Conversation = z.infer<typeof conversationSchema>;

/** Turns of the user and the assistant; system and tool messages and empty ones are left out. */
export function chatgptBatches(document: unknown, file: string, defaults: SourceDefaults): SourceBatch[] {
  return checkSource(z.array(conversationSchema), document, file)
    .map((conversation, position) => ({
      scope: defaults.scope,
      session: conversation.conversation_id ?? conversation.id ?? `conversation-${position + 1}`,
      turns: branch(conversation).flatMap((id) => turnOf(id, conversation)),
    }))
    .filter(({ turns }) => turns.length > 0);
}

/** Node ids from the root to the node that was on the screen last. */
function branch({ mapping, current_node }: Conversation): string[] {
  const path: string[] = [];
  const seen = new Set<string>();
  let id: string | null | undefined =
    current_node ?? Object.keys(mapping).findLast((key) => !mapping[key]?.children?.length);
  while (id && !seen.has(id)) {
    seen.add(id);
    path.unshift(id);
    id = mapping[id]?.parent;
  }
  return path;
}

function turnOf(id: string, { mapping, create_time }: Conversation): TurnInput[] {
  const message = mapping[id]?.message;
  const text = (message?.content?.parts ?? [])
    .filter((part) => typeof part === 'string')
    .join('\n')
    .trim();
  const role = message?.author.role;
  if (text === '' || (role !== 'user' && role !== 'assistant')) return [];
  const seconds = message?.create_time ?? create_time;
  return [{ id, speaker: role, text, ...(seconds == null ? {} : { at: Math.round(seconds * 1000) }) }];
}
