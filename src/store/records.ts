// The typed codecs of everything the store keeps on disk (contract/store.proto).

import type { EncoderIdentity } from '../contract/encoder.js';
import { codec, loadProto } from '../contract/proto.js';
import type { Meta, Turn } from '../contract/turn.js';

export interface ScopeRecord {
  id: number;
  tenant: string;
  user: string;
  nextRow: number;
  turns: number;
  nextSession: number;
  nextSpeaker: number;
  deletions: number;
}

export interface SessionRecord {
  ordinal: number;
  turns: number;
}

export interface TurnRecord {
  id: string;
  session: string;
  speaker: string;
  text: string;
  at: number;
  dated: boolean;
  caption: string;
  metaJson: string;
}

export interface RowRecord {
  at: number;
  session: number;
  speaker: number;
  flags: number;
  termHashes: Uint8Array;
  termCounts: Uint8Array;
  length: number;
}

const root = loadProto('src/contract/store.proto');
export const scopeCodec = codec<ScopeRecord>(root, 'ontomem.store.ScopeRecord');
export const sessionCodec = codec<SessionRecord>(root, 'ontomem.store.SessionRecord');
export const turnCodec = codec<TurnRecord>(root, 'ontomem.store.TurnRecord');
export const rowCodec = codec<RowRecord>(root, 'ontomem.store.RowRecord');
export const encoderCodec = codec<EncoderIdentity>(root, 'ontomem.store.EncoderRecord');

export function toTurn(record: TurnRecord): Turn {
  return {
    id: record.id,
    session: record.session,
    speaker: record.speaker,
    text: record.text,
    at: record.at,
    dateSource: record.dated ? 'given' : 'ingest',
    ...(record.caption === '' ? {} : { caption: record.caption }),
    ...(record.metaJson === '' ? {} : { meta: JSON.parse(record.metaJson) as Meta }),
  };
}

export function toTurnRecord(turn: Turn): TurnRecord {
  return {
    id: turn.id,
    session: turn.session,
    speaker: turn.speaker,
    text: turn.text,
    at: turn.at,
    dated: turn.dateSource === 'given',
    caption: turn.caption ?? '',
    metaJson: turn.meta === undefined ? '' : JSON.stringify(turn.meta),
  };
}
