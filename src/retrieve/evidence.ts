// Ranked rows -> the turns they stand for, with the reasons they are there.
import type { Evidence } from '../contract/recall.js';
import type { Resident } from '../store/residency.js';
import type { TurnReader } from '../store/turns/turn-reader.js';
import type { Hit } from './shard-recall.js';

/** The turns of `hits`, in their order; a turn that was forgotten since is left out. */
export function evidenceOf(
  log: TurnReader,
  resident: Resident,
  hits: readonly Hit[],
  explain: boolean,
): Evidence[] {
  return hits.flatMap((hit) => {
    const turn = log.turn(resident.scopeId, hit.row);
    if (turn === undefined) return [];
    const { dense, lexical, structure } = hit.parts;
    return [
      {
        turnId: turn.id,
        session: turn.session,
        speaker: turn.speaker,
        text: turn.text,
        ...(turn.caption === undefined ? {} : { caption: turn.caption }),
        at: turn.at,
        score: hit.score,
        ...(explain
          ? { explanation: { dense, lexical, structure, fused: dense + lexical + structure } }
          : {}),
      },
    ];
  });
}
