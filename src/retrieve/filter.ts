// Which turns a request may see, as parameters of the native recall.
import { checkMoment } from '../contract/check.js';
import type { RecallRequest } from '../contract/recall.js';
import type { RecallParameter } from '../native/layout.js';
import type { Resident } from '../store/residency.js';
import type { TurnLog } from '../store/turn-log.js';

/** The filter as parameters; undefined when it names a session or speaker that the scope does not know. */
export function filterOf(
  log: TurnLog,
  { filter = {}, asOf }: RecallRequest,
  resident: Resident | undefined,
): Partial<Record<RecallParameter, number>> | undefined {
  const scopeId = resident?.scopeId ?? -1;
  const changes: Partial<Record<RecallParameter, number>> = {};
  if (asOf !== undefined) changes.asOfMs = checkMoment(asOf, 'recall.asOf');
  if (filter.from !== undefined) changes.fromMs = checkMoment(filter.from, 'recall.filter.from');
  if (filter.to !== undefined) changes.toMs = checkMoment(filter.to, 'recall.filter.to');
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
