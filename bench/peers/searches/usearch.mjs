// USearch's exact search over a typed array, one thread.
export const name = 'usearch exact';

export async function open({ vectors, dimension, limit, count }) {
  const { exactSearch, MetricKind } = await import('usearch');
  let found;
  return {
    run: (queries) => {
      found = exactSearch(vectors, queries, dimension, Math.min(limit, count), MetricKind.IP, 1);
    },
    first: () => {
      const { keys } = 'get' in found ? found.get(0) : found;
      return Array.from(keys, Number);
    },
    close: () => {},
  };
}
