// What recalling works with.
import type { Encoder } from '../contract/encoder.js';
import type { Limits } from '../contract/limits.js';
import type { Residency } from '../store/residency.js';
import type { TurnReader } from '../store/turns/turn-reader.js';
import type { EncoderScale } from './encoder-scale.js';
import type { SearchPace } from './pace.js';
import type { RecallPlan } from './strategy.js';

export interface RecallParts {
  log: TurnReader;
  encoder: Encoder;
  residency: Residency;
  limits: Limits;
  scale: EncoderScale;
  plan: RecallPlan;
  pace: SearchPace;
}
