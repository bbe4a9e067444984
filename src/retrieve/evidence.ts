// Ranked rows -> the turns they stand for, with the reasons they are there.
import { breathe } from '../breather.js';
import type { Evidence } from '../contract/recall.js';
import type { Turn } from '../contract/turn.js';
import type { TurnReader } from '../store/turns/turn-reader.js';
import type { Hit } from './shard-recall.js';

/** Turns of an answer read without a pause, about 1 ms. */
const READ_AT_ONCE = 64;

/** The turns of `hits`, in their order; a turn that was forgotten since is left out. */
export async function evidenceOf(
  log: TurnReader,
  scopeId: number,
  hits: readonly Hit[],
  explain: boolean,
): Promise<Evidence[]> {
  const evidence: Evidence[] = [];
  for (const [place, hit] of hits.entries()) {
    // What most ask for is read at once: an answer that is done is not held back.
    if (place >= READ_AT_ONCE) await breathe();
    const turn = log.turn(scopeId, hit.row);
    if (turn !== undefined) evidence.push(toEvidence(turn, hit, explain));
  }
  return evidence;
}

function toEvidence(turn: Turn, { score, parts }: Hit, explain: boolean): Evidence {
  const { dense, lexical, structure } = parts;
  return {
    turnId: turn.id,
    session: turn.session,
    speaker: turn.speaker,
    text: turn.text,
    ...(turn.caption === undefined ? {} : { caption: turn.caption }),
    at: turn.at,
    score,
    ...(explain ? { explanation: { dense, lexical, structure, fused: dense + lexical + structure } } : {}),
  };
}
