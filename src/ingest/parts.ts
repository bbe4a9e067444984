// What the way in works with, whichever verb it is.
import type { Encoder } from '../contract/encoder.js';
import type { Limits } from '../contract/limits.js';
import type { Residency } from '../store/residency.js';
import type { TurnLog } from '../store/turn-log.js';

export interface IngestParts {
  log: TurnLog;
  encoder: Encoder;
  residency: Residency;
  limits: Limits;
}
