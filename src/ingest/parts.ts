// What the way in works with, whichever verb it is.
import type { Encoder } from '../contract/encoder.js';
import type { Limits } from '../contract/limits.js';
import type { Residency } from '../store/residency.js';
import type { TurnReader } from '../store/turns/turn-reader.js';
import type { TurnWriter } from '../store/turns/turn-writer.js';

export interface IngestParts {
  log: TurnReader;
  writer: TurnWriter;
  encoder: Encoder;
  residency: Residency;
  limits: Limits;
}
