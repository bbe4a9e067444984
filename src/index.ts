// What a user imports, nothing else.
export type { ArchiveRecord } from './contract/archive.js';
export type {
  EncodeOptions,
  Encoder,
  EncoderIdentity,
  EncoderSettings,
  Encoding,
  OpenEncoderOptions,
  Pooling,
  TextRole,
} from './contract/encoder.js';
export type {
  AmendRequest,
  ForgetRequest,
  Imported,
  ImportRequest,
  Observed,
  ObserveRequest,
} from './contract/ingest.js';
export type { Limits } from './contract/limits.js';
export type { Compacted, OpenOptions, Stats, TurnsRequest } from './contract/memory.js';
export type { Evidence, Explanation, Recall, RecallFilter, RecallRequest } from './contract/recall.js';
export type { Scope } from './contract/scope.js';
export type { Meta, Turn, TurnInput, TurnReceipt } from './contract/turn.js';
export { openEncoder } from './encode/open-encoder.js';
export { ERROR_TABLE, type ErrorCode, OntomemError } from './errors.js';
export { type Memory, openMemory } from './memory/memory.js';
