// The one door to onnxruntime: the addon is loaded before it, and keeps its telemetry from starting.
import { createRequire } from 'node:module';
import type * as Runtime from 'onnxruntime-node';
import '../../native/addon.js';

export type InferenceSession = Runtime.InferenceSession;
export type Tensor = Runtime.Tensor;

// Required, not imported: this line runs after every import above it, in whatever order they are sorted.
const runtime = createRequire(import.meta.url)('onnxruntime-node') as typeof Runtime;

export const { InferenceSession, Tensor } = runtime;
