// The vectors of queries: one encoder call for all, waited for as long as each one's deadline allows.
import type { Encoder } from '../contract/encoder.js';
import { SEARCH_RESERVE_MS, within } from './deadline.js';
import { isMeaningful, queryText } from './query-text.js';
import type { Asked } from './request.js';

/** One vector a request; undefined where its deadline came first. Requests that ask nothing have none. */
export async function encodeQueries(
  encoder: Encoder,
  requests: readonly Asked[],
  begin: number,
): Promise<Array<Float32Array | undefined>> {
  const asked = requests.filter(isMeaningful);
  if (asked.length === 0) return requests.map(() => undefined);
  const { dimension } = encoder.identity;
  const encoding = encoder.encode(asked.map(queryText), { role: 'query' });
  const vectors = await Promise.all(
    asked.map(async ({ deadlineMs }, position) => {
      const left =
        deadlineMs === undefined ? undefined : deadlineMs - SEARCH_RESERVE_MS - (performance.now() - begin);
      const encoded = await within(encoding, left);
      return encoded?.vectors.slice(position * dimension, (position + 1) * dimension);
    }),
  );
  return requests.map((request) => vectors[asked.indexOf(request)]);
}
