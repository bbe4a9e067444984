// A line of an export.
import type { EncoderIdentity } from './encoder.js';
import type { Scope } from './scope.js';
import type { Turn } from './turn.js';

/** In this order: one header, turns in order of arrival, one footer. */
export type ArchiveRecord =
  | { kind: 'header'; format: 'ontomem-archive'; version: 1; scope: Scope; encoder: EncoderIdentity }
  | ({ kind: 'turn'; vector: string } & Turn)
  | { kind: 'footer'; turns: number; sha256: string };
