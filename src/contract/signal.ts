// An AbortSignal of a caller's, read where its getters may throw.
import { OntomemError } from '../errors.js';
import { read } from './check.js';

/** @throws ABORTED once the signal is aborted, INVALID_ARGUMENT when it cannot be read; `input` names it. */
export function stopOn(signal: AbortSignal | undefined, input: string, problem = 'was aborted'): void {
  if (signal === undefined) return;
  const aborted = read(() => (signal.aborted ? { cause: signal.reason as unknown } : undefined), input);
  if (aborted !== undefined) throw new OntomemError('ABORTED', { input, problem, ...aborted });
}
