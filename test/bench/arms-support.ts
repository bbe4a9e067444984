// Tiny prepared conversations and an encoder with token states, for the tests of the baselines.
import type {
  Arm,
  ArmServices,
  PreparedConversation,
  PreparedQuery,
  Ranking,
} from '../../bench/quality/arm.js';
import { Engine } from '../../bench/quality/engine.js';
import { prepareConversation } from '../../bench/quality/prepare.js';
import type { EncodeOptions, Encoding } from '../../src/contract/encoder.js';
import type { Turn } from '../../src/contract/turn.js';
import { present } from '../support/expecting.js';
import { TinyEncoder } from '../support/tiny-encoder.js';

const DAY_MS = 86_400_000;
const START = Date.UTC(2024, 0, 8);

/** A TinyEncoder whose tokens are words, between two tokens that are the same for every text. */
class WordEncoder extends TinyEncoder {
  override async encode(texts: readonly string[], options: EncodeOptions): Promise<Encoding> {
    const encoding = await super.encode(texts, options);
    if (options.tokenStates !== true) return encoding;
    return { ...encoding, tokenStates: texts.map((text) => this.statesOf(text)) };
  }

  private statesOf(text: string): Float32Array {
    const words = ['[CLS]', ...text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== ''), '[SEP]'];
    return Float32Array.from(words.flatMap((word) => [...this.vectorOf(word)]));
  }
}

/** Wide enough that words seldom share a place. */
export const encoder = new WordEncoder({ dimension: 256 });

export const services: ArmServices = {
  encoder,
  engine: new Engine(encoder),
  encodeCached: async (texts, role) => (await encoder.encode(texts, { role })).vectors,
};

/** Turns 't0', 't1', ... a day apart, three to a session; 'Ana: text' names the speaker, otherwise it is User. */
export function turnsOf(...lines: readonly string[]): Turn[] {
  return lines.map((line, position) => {
    const [, speaker = 'User', text = line] = /^(\w+): (.*)$/.exec(line) ?? [];
    return {
      id: `t${position}`,
      session: `s${Math.floor(position / 3)}`,
      speaker,
      text,
      at: START + position * DAY_MS,
      dateSource: 'ingest',
    };
  });
}

export interface Prepared {
  conversation: PreparedConversation;
  query: PreparedQuery;
}

export async function prepared(turns: readonly Turn[], text: string, at?: number): Promise<Prepared> {
  const query = { id: 'q', text, gold: new Set<string>(), slices: [], ...(at === undefined ? {} : { at }) };
  const { conversation, queries } = await prepareConversation({ id: 'c', turns, queries: [query] }, services);
  return { conversation, query: present(queries[0]) };
}

export async function rankWith(
  arm: Arm,
  turns: readonly Turn[],
  text: string,
  at?: number,
): Promise<Ranking> {
  const { conversation, query } = await prepared(turns, text, at);
  return (await arm.prepare(conversation, services))(query);
}
