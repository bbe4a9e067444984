// Re-encoding a store for another encoder, safe against being killed: until it is done, opening refuses.
import type { Encoder } from '../contract/encoder.js';
import { beginReencoding, endReencoding, isBoundTo } from '../store/encoder-record.js';
import type { Environment } from '../store/environment.js';
import { TurnReader } from '../store/turns/turn-reader.js';
import { TurnWriter } from '../store/turns/turn-writer.js';
import { passageOf } from '../text/passage.js';

const BATCH = 256;

/** Encodes every stored turn again and ties the store to `encoder`. Killed midway, run it again. O(turns). */
export async function reencode(
  environment: Environment,
  encoder: Encoder,
  onProgress: (done: number) => void = () => undefined,
): Promise<void> {
  if (isBoundTo(environment, encoder.identity)) return;
  await beginReencoding(environment, encoder.identity);
  const log = new TurnReader(environment);
  const writer = new TurnWriter(environment, log);
  let done = 0;
  for (const scope of [...log.scopes()]) {
    const rows = [...log.walk(scope.id)];
    for (let start = 0; start < rows.length; start += BATCH) {
      const batch = rows.slice(start, start + BATCH);
      const { vectors } = await encoder.encode(
        batch.map(({ turn }) => passageOf(turn)),
        { role: 'passage' },
      );
      await writer.replaceVectors(
        scope,
        batch.map(({ row }) => row),
        vectors,
      );
      done += batch.length;
      onProgress(done);
    }
  }
  await endReencoding(environment, encoder.identity);
}
