// Plain chat text: 'Name: what was said', a line a turn; other lines continue the turn before them.
import type { TurnInput } from '../../contract/turn.js';
import { OntomemError } from '../../errors.js';
import { ContentIds, type SourceBatch, type SourceDefaults } from './source.js';

/** `s`: what was said may hold U+2028, U+2029 and lone returns. */
const TURN_LINE = /^(?:\[([^\]]{8,40})\]\s*)?([^\s:][^:]{0,63}):\s+(.*)$/su;

/**
 * An ISO 8601 date in brackets may stand before the name. An empty line changes nothing. Lines end with newlines, in
 * a file without any with returns.
 */
export function chatTextBatches(text: string, file: string, defaults: SourceDefaults): SourceBatch[] {
  const turns: TurnInput[] = [];
  const ending = text.includes('\n') ? /\r?\n/ : /\r/;
  for (const [position, line] of text
    .replace(/^\uFEFF/, '')
    .split(ending)
    .entries()) {
    const [, at, speaker, said] = TURN_LINE.exec(line) ?? [];
    const last = turns.at(-1);
    if (speaker !== undefined && said !== undefined) {
      turns.push({ speaker: speaker.trim(), text: said, ...(at === undefined ? {} : { at }) });
    } else if (last !== undefined) {
      last.text += `\n${line}`;
    } else if (line.trim() !== '') {
      throw new OntomemError('SOURCE_INVALID', {
        input: `${file}:${position + 1}`,
        problem: `${JSON.stringify(line.slice(0, 60))} is not 'Name: text', and no turn stands before it`,
      });
    }
  }
  const ids = new ContentIds();
  for (const turn of turns) {
    turn.text = turn.text.trim();
    turn.id = ids.idOf(defaults.session, turn.speaker, turn.text, turn.at);
  }
  return turns.length === 0 ? [] : [{ ...defaults, turns }];
}
