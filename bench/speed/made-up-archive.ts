// Archives of made-up turns with made-up vectors: a large scope without an hour of encoding.
import type { ArchiveRecord } from '../../src/contract/archive.js';
import type { EncoderIdentity } from '../../src/contract/encoder.js';
import type { Scope } from '../../src/contract/scope.js';
import { ArchiveSum, toBase64 } from '../../src/ingest/archive.js';
import { between, type Random, seededRandom } from '../random.js';

const TURNS_A_SESSION = 40;
const WORDS_A_TURN = 12;
/** Distinct words that texts are made of. */
const VOCABULARY = 5000;

/** A scope of `turns` turns as `export` would give it, under the identity of an encoder that never read them. */
export function* archiveOf(scope: Scope, encoder: EncoderIdentity, turns: number): Generator<ArchiveRecord> {
  const random = seededRandom('archive', scope.user, turns);
  const sum = new ArchiveSum();
  const header = { kind: 'header', format: 'ontomem-archive', version: 1, scope, encoder } as const;
  sum.add(header);
  yield header;
  for (let n = 0; n < turns; n++) {
    const record: ArchiveRecord = {
      kind: 'turn',
      id: `t${n}`,
      session: `s${Math.floor(n / TURNS_A_SESSION)}`,
      speaker: n % 2 === 0 ? 'Ada' : 'Bo',
      text: someText(random, WORDS_A_TURN),
      at: n * 60_000,
      dateSource: 'given',
      vector: toBase64(unitVector(random, encoder.dimension)),
    };
    sum.add(record);
    yield record;
  }
  yield sum.footer();
}

/** So many words that sound like words. */
export function someText(random: Random, words: number): string {
  return Array.from({ length: words }, () => wordOf(between(random, 1, VOCABULARY))).join(' ');
}

function wordOf(number: number): string {
  let word = '';
  for (let left = number; left > 0; left = Math.floor(left / 70)) {
    word += `${'bdfgklmnprstvz'[left % 14]}${'aeiou'[Math.floor(left / 14) % 5]}`;
  }
  return `${word}n`;
}

function unitVector(random: Random, dimension: number): Float32Array {
  const vector = Float32Array.from({ length: dimension }, () => random() - 0.5);
  const norm = Math.hypot(...vector);
  return vector.map((value) => value / norm);
}
