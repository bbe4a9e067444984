// What a user imports, nothing else.
export type { Compacted } from './contract/compacted.js';
export type { Encoder, EncoderIdentity, Encoding } from './contract/encoder.js';
export type { Limits } from './contract/limits.js';
export type { Evidence, Explanation, Recall, RecallFilter, RecallRequest } from './contract/recall.js';
export type { Scope } from './contract/scope.js';
export type { Meta, Turn, TurnInput, TurnReceipt } from './contract/turn.js';
export { openEncoder } from './encode/open-encoder.js';
export { type ErrorCode, errorTable, OntomemError } from './errors.js';
export type { AmendRequest } from './ingest/amend.js';
export type { ArchiveRecord } from './ingest/archive.js';
export type { ForgetRequest } from './ingest/forget.js';
export type { Imported, ImportRequest } from './ingest/import.js';
export type { Observed, ObserveRequest } from './ingest/observe.js';
export { type Memory, type OpenOptions, openMemory, type TurnsRequest } from './memory/memory.js';
export type { Stats } from './store/stats.js';
