// Which turns a request may see, as parameters of the native recall.
import type { RecallParameter } from '../native/layout.js';
import type { TurnReader } from '../store/turns/turn-reader.js';
import type { Asked } from './request.js';

/** The filter as parameters; undefined when it names a session or speaker that the scope does not know. */
export function filterOf(
  log: TurnReader,
  scopeId: number,
  { filter, asOfMs }: Pick<Asked, 'filter' | 'asOfMs'>,
): Partial<Record<RecallParameter, number>> | undefined {
  const changes: Partial<Record<RecallParameter, number>> = {};
  if (asOfMs !== undefined) changes.asOfMs = asOfMs;
  if (filter.fromMs !== undefined) changes.fromMs = filter.fromMs;
  if (filter.toMs !== undefined) changes.toMs = filter.toMs;
  if (filter.session !== undefined) {
    const session = log.sessionOrdinal(scopeId, filter.session);
    if (session === undefined) return undefined;
    changes.session = session;
  }
  if (filter.speaker !== undefined) {
    const speaker = log.speakerOrdinal(scopeId, filter.speaker);
    if (speaker === undefined) return undefined;
    changes.speaker = speaker;
  }
  return changes;
}
